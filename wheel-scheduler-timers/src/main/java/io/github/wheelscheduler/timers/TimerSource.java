package io.github.wheelscheduler.timers;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** The part of an executor that timers for programs need. Tests that play all interleavings bring another. */
public interface TimerSource {

    /** Returns the time of the clock that deadlines are on, in nanoseconds. */
    long nanoTime();

    /**
     * Runs the task once, after the delay, on a worker.
     *
     * @throws RejectedExecutionException if it is not accepted
     */
    WheelTimer<?> schedule(Runnable task, long delayNanos);

    /**
     * Runs the task after the delay, and from then on whenever its {@linkplain
     * io.github.wheelscheduler.Pacing#restNanos rest} is over.
     *
     * @throws RejectedExecutionException if it is not accepted
     */
    WheelTimer<?> repeat(Runnable task, long delayNanos);

    /** Whether nothing begins any more, since the executor has been stopped. */
    default boolean isStopped() {
        return false;
    }

    /** Returns that of the executor. */
    static TimerSource of(WheelScheduledExecutor executor) {
        return new TimerSource() {
            @Override
            public long nanoTime() {
                return executor.nanoTime();
            }

            @Override
            public WheelTimer<?> schedule(Runnable task, long delayNanos) {
                return executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
            }

            @Override
            public WheelTimer<?> repeat(Runnable task, long delayNanos) {
                return executor.scheduleWithFixedDelay(task, delayNanos, 1, TimeUnit.NANOSECONDS);
            }

            @Override
            public boolean isStopped() {
                return executor.isStopped();
            }
        };
    }
}
