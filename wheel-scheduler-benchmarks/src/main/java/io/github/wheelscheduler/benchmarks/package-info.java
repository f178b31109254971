/** Measures the wheel and its peers, each in a JVM of its own, and reports what it found. */
@NullMarked
package io.github.wheelscheduler.benchmarks;

import org.jspecify.annotations.NullMarked;
