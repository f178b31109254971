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
     * @param wheelNanos from the deadline until the tick thread handed the run over
     * @param queueNanos from then until a worker was free for it
     * @param nowNanos the time now, as {@link WheelScheduledExecutor#nanoTime} tells it
     */
    void starting(Object task, long wheelNanos, long queueNanos, long nowNanos);
}
