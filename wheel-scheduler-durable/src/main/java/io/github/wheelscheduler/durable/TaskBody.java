package io.github.wheelscheduler.durable;

import org.jspecify.annotations.Nullable;

/**
 * Runs the tasks of a handler. Worker of the durable group.
 *
 * @param <T> the type of the payload
 */
@FunctionalInterface
public interface TaskBody<T> {

    /**
     * Runs a task.
     *
     * @throws Exception if it has failed, and is to be tried again
     */
    void run(@Nullable T payload) throws Exception;
}
