package io.github.wheelscheduler.durable;

import org.jspecify.annotations.Nullable;

/**
 * Runs the tasks of a handler, and decides what becomes of each. Worker of the durable group.
 *
 * @param <T> the type of the payload
 */
@FunctionalInterface
public interface DecidingBody<T> {

    /**
     * Runs a task.
     *
     * @return the outcome; null is a failure
     * @throws Exception if it has failed
     */
    DurableOutcome run(@Nullable T payload, DurableRun run) throws Exception;
}
