package io.github.wheelscheduler;

import java.util.concurrent.Callable;

/** Called on the thread of a run, with the causes of its delay. */
@FunctionalInterface
public interface RunObserver {

    /**
     * Called just before a run starts. It should be quick. Its exceptions are logged and ignored. Lateness is that of
     * the start against the deadline: the sum of both values, in nanoseconds.
     *
     * @param task the {@link Runnable} or {@link Callable} as it was handed to the executor
     * @param wheelNanos the time from its deadline until the tick thread handed the run over
     * @param queueNanos the rest: the time that it has waited for a worker, a pause included, or for the previous run
     *     of its series
     * @param nowNanos the current time, as returned by {@link WheelScheduledExecutor#nanoTime}
     */
    void starting(Object task, long wheelNanos, long queueNanos, long nowNanos);

    /**
     * Called in place of {@link #starting} before a catch-up run: its deadline had passed when the previous run ended,
     * so the delay is due to the task itself. By default {@link #starting} is called with a wheel delay of zero.
     *
     * @param task as above
     * @param ownNanos from the deadline until it was handed over
     * @param queueNanos from then until a worker was free for it
     * @param nowNanos as above
     */
    default void startingLate(Object task, long ownNanos, long queueNanos, long nowNanos) {
        starting(task, 0, ownNanos + queueNanos, nowNanos);
    }
}
