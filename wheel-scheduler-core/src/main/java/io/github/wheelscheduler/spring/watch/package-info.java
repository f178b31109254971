/**
 * Watches runs: how late they start, how long they take, and what the log is told of it. Its door for users is
 * {@link io.github.wheelscheduler.spring.watch.RunLateness} and {@link io.github.wheelscheduler.spring.watch.WarningLimits}, for
 * the scheduler {@link io.github.wheelscheduler.spring.watch.SchedulerObservation}. Knows tasks and runs; entered by the face.
 */
@NullMarked
package io.github.wheelscheduler.spring.watch;

import org.jspecify.annotations.NullMarked;
