package io.github.wheelscheduler.durable;

import org.jspecify.annotations.Nullable;

/**
 * Runs the tasks of a handler, and knows the run. Worker of the durable group.
 *
 * @param <T> the type of the payload
 */
@FunctionalInterface
public interface DurableBody<T> {

    /**
     * Runs a task.
     *
     * @throws Exception if it has failed, and is to be tried again
     */
    void run(@Nullable T payload, DurableRun run) throws Exception;
}
