/** Microbenchmarks of the wheel, of the way to it, and of a timer's moves; for JMH. */
@NullMarked
package io.github.wheelscheduler.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
