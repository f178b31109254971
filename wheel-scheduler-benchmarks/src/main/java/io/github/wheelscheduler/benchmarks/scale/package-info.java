/** What happens with more processors than one machine at hand has: measured parts, and a simulation made of them. */
@NullMarked
package io.github.wheelscheduler.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
