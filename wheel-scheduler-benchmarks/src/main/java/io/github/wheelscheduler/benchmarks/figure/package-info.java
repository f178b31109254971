/** The figures, one file each. */
@NullMarked
package io.github.wheelscheduler.benchmarks.figure;

import org.jspecify.annotations.NullMarked;
