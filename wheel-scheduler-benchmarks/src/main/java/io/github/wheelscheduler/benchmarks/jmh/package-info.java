/**
 * Microbenchmarks of the wheel, of the way to it, of a timer's moves, and of keyed timers and idle timeouts; for JMH.
 */
@NullMarked
package io.github.wheelscheduler.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
