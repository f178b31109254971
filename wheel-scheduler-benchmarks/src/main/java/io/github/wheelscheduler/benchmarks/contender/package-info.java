/** The schedulers under comparison, behind one interface, one file each. */
@NullMarked
package io.github.wheelscheduler.benchmarks.contender;

import org.jspecify.annotations.NullMarked;
