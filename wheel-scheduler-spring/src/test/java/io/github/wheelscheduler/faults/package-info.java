/** One table of promises that hold wherever the engine finds no memory or stack, or foreign code throws. */
@NullMarked
package io.github.wheelscheduler.faults;

import org.jspecify.annotations.NullMarked;
