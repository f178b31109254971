/**
 * Tasks that can be seen and steered. A user's door is {@link io.github.wheelscheduler.spring.task.TaskRegistry}, with
 * {@link io.github.wheelscheduler.spring.task.TaskSchedule} and {@link io.github.wheelscheduler.spring.task.TaskInfo}; the
 * scheduler's is {@link io.github.wheelscheduler.spring.task.TaskBook}. Knows what a run was; entered by the room of the watch,
 * and by the face.
 */
@NullMarked
package io.github.wheelscheduler.spring.task;

import org.jspecify.annotations.NullMarked;
