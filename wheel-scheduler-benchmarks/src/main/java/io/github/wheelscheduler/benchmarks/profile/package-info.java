/** Where the processor time and the memory of the wheel go. */
@NullMarked
package io.github.wheelscheduler.benchmarks.profile;

import org.jspecify.annotations.NullMarked;
