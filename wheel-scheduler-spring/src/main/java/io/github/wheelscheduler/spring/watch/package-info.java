/**
 * Lateness of runs and the thresholds of its warnings: {@link io.github.wheelscheduler.spring.watch.RunLateness} and
 * {@link io.github.wheelscheduler.spring.watch.WarningLimits}.
 */
@NullMarked
package io.github.wheelscheduler.spring.watch;

import org.jspecify.annotations.NullMarked;
