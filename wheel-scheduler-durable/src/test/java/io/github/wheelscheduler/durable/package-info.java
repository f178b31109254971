/** Durable tasks on real databases. */
@NullMarked
package io.github.wheelscheduler.durable;

import org.jspecify.annotations.NullMarked;
