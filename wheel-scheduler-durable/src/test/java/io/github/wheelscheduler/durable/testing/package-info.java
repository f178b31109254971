/** Durable tasks on real databases. */
@NullMarked
package io.github.wheelscheduler.durable.testing;

import org.jspecify.annotations.NullMarked;
