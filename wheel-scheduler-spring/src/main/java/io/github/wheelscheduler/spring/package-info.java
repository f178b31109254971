/**
 * Spring's {@link org.springframework.scheduling.TaskScheduler} on the timing wheel: the face that Spring sees. Behind
 * it are three rooms: {@code task} for tasks and steering, {@code run} for what a run was, {@code watch} for watching.
 * The face knows them all, and none of them knows the face.
 */
@NullMarked
package io.github.wheelscheduler.spring;

import org.jspecify.annotations.NullMarked;
