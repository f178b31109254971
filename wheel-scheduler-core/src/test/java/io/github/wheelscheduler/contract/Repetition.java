package io.github.wheelscheduler.contract;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** The two ways to run a task again and again, for what both have in common. */
enum Repetition {
    FIXED_RATE {
        @Override
        ScheduledFuture<?> start(
                ScheduledExecutorService on, Runnable task, long initialDelay, long period, TimeUnit unit) {
            return on.scheduleAtFixedRate(task, initialDelay, period, unit);
        }
    },
    FIXED_DELAY {
        @Override
        ScheduledFuture<?> start(
                ScheduledExecutorService on, Runnable task, long initialDelay, long period, TimeUnit unit) {
            return on.scheduleWithFixedDelay(task, initialDelay, period, unit);
        }
    };

    abstract ScheduledFuture<?> start(
            ScheduledExecutorService on, Runnable task, long initialDelay, long period, TimeUnit unit);

    /** Starts it at once, with a period of a millisecond. */
    ScheduledFuture<?> start(ScheduledExecutorService on, Runnable task) {
        return start(on, task, 0, 1, TimeUnit.MILLISECONDS);
    }
}
