package io.github.wheelscheduler.keyed;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** What keyed timers need of an executor. Tests that play all interleavings bring another. */
interface TimerSource {

    /**
     * Runs the task once, after the delay, on a worker.
     *
     * @throws RejectedExecutionException if it is not accepted
     */
    WheelTimer<?> schedule(Runnable task, long delayNanos);

    /**
     * Runs the task soon, on a worker.
     *
     * @throws RejectedExecutionException if it is not accepted
     */
    void execute(Runnable task);

    /** Returns that of the executor. */
    static TimerSource of(WheelScheduledExecutor executor) {
        return new TimerSource() {
            @Override
            public WheelTimer<?> schedule(Runnable task, long delayNanos) {
                return executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
            }

            @Override
            public void execute(Runnable task) {
                // Not executed: in a full group that rejects, this one waits.
                WheelTimer<?> ignored = executor.schedule(task, 0, TimeUnit.NANOSECONDS);
            }
        };
    }
}
