/** What holds timers by key, under comparison. */
@NullMarked
package io.github.wheelscheduler.benchmarks.keyed;

import org.jspecify.annotations.NullMarked;
