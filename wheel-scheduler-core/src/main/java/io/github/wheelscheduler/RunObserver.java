package io.github.wheelscheduler;

import java.util.concurrent.Callable;

/** Is told, on the thread of the run, what a run has waited for. */
@FunctionalInterface
public interface RunObserver {

    /**
     * Called just before a run starts. It should be quick; what it throws is logged and does no harm. Lateness is that of
     * the start against the deadline: the sum of both values, in nanoseconds.
     *
     * @param task the {@link Runnable} or {@link Callable} as it was handed to the executor
     * @param wheelNanos how much later than its deadline the tick thread handed the run over
     * @param queueNanos the rest: how long it has waited for a worker, a pause included, or for the run of its series before it
     * @param nowNanos the time now, as {@link WheelScheduledExecutor#nanoTime} tells it
     */
    void starting(Object task, long wheelNanos, long queueNanos, long nowNanos);

    /**
     * Called in place of {@link #starting} before a run that is made up: its deadline had passed when the run before it ended, which is
     * nobody's doing but its own. By default {@link #starting} is told that the wheel has no share in it.
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
