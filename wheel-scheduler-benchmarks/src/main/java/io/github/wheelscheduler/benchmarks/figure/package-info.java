/** What is measured, one file per figure. */
@NullMarked
package io.github.wheelscheduler.benchmarks.figure;

import org.jspecify.annotations.NullMarked;
