/** Schedulers in processes of their own, whose clocks jump and which are brought to a halt, in the machine's own time. */
@NullMarked
package io.github.wheelscheduler.clock;

import org.jspecify.annotations.NullMarked;
