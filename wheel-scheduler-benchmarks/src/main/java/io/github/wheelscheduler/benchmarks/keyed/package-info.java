/** The contenders that hold timers by key. */
@NullMarked
package io.github.wheelscheduler.benchmarks.keyed;

import org.jspecify.annotations.NullMarked;
