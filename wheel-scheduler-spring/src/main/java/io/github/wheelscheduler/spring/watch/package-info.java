/**
 * How late runs start, and from when on the log is told of it: {@link io.github.wheelscheduler.spring.watch.RunLateness} and
 * {@link io.github.wheelscheduler.spring.watch.WarningLimits}.
 */
@NullMarked
package io.github.wheelscheduler.spring.watch;

import org.jspecify.annotations.NullMarked;
