/**
 * Tasks that can be seen and steered: {@link io.github.wheelscheduler.spring.task.TaskRegistry}, with
 * {@link io.github.wheelscheduler.spring.task.TaskSchedule} and {@link io.github.wheelscheduler.spring.task.TaskInfo}.
 * The room of that name below {@code io.github.wheelscheduler.internal.spring} has what steers them.
 */
@NullMarked
package io.github.wheelscheduler.spring.task;

import org.jspecify.annotations.NullMarked;
