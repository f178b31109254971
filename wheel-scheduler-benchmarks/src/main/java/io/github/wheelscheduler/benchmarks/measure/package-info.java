/** Clocks, slots and percentiles that all figures share. */
@NullMarked
package io.github.wheelscheduler.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
