/**
 * Tasks that survive the process: rows in a database, of which a node claims what is due soon, and starts it from its
 * wheel when it is due.
 */
@NullMarked
package io.github.wheelscheduler.durable;

import org.jspecify.annotations.NullMarked;
