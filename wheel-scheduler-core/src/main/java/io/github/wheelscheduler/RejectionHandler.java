package io.github.wheelscheduler;

import java.util.concurrent.RejectedExecutionException;

/** Handles a task that the executor does not accept. */
@FunctionalInterface
public interface RejectionHandler {

    /**
     * Called on the thread that submitted the task. It usually throws; if it returns, the submitting method returns the
     * timer, which is not scheduled. It may run the timer.
     *
     * @param timer the timer that was created for the task
     * @param reason the cause, with the numbers
     */
    void rejected(WheelTimer<?> timer, RejectedExecutionException reason);
}
