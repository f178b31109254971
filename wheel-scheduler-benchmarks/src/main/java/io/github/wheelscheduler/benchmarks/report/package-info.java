/** From a file of results to tables and plots. */
@NullMarked
package io.github.wheelscheduler.benchmarks.report;

import org.jspecify.annotations.NullMarked;
