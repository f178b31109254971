/** Estimates figures with more processors than the machine has: measured parts, and a simulation made of them. */
@NullMarked
package io.github.wheelscheduler.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
