/**
 * Schedulers in processes of their own, whose clocks jump and which are brought to a halt, in the machine's own time.
 */
@NullMarked
package io.github.wheelscheduler.spring.clock;

import org.jspecify.annotations.NullMarked;
