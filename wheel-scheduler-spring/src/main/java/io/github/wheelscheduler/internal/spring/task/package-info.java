/**
 * Steers the tasks of Spring's face and watches their runs. The face enters by
 * {@link io.github.wheelscheduler.internal.spring.task.TaskTimers}, {@link
 * io.github.wheelscheduler.internal.spring.task.TaskStore}, {@link
 * io.github.wheelscheduler.internal.spring.task.TaskEvents} and {@link
 * io.github.wheelscheduler.internal.spring.task.SchedulerObservation}.
 *
 * <p>For this project only: it may change with any version.
 */
@NullMarked
package io.github.wheelscheduler.internal.spring.task;

import org.jspecify.annotations.NullMarked;
