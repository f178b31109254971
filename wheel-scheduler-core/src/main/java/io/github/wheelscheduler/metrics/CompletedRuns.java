package io.github.wheelscheduler.metrics;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import org.jspecify.annotations.Nullable;

/**
 * Counts the runs that have ended, as those that have started and do not go on. The two numbers are not of one moment, so
 * this keeps the count from falling, which would look like a restart. At rest it is exact.
 */
final class CompletedRuns {

    private final WheelTaskScheduler scheduler;

    /** The scheduler gets another one when it is initialized again. Guarded by this. */
    private @Nullable WheelScheduledExecutor executor;

    /** Guarded by this. */
    private long most;

    CompletedRuns(WheelTaskScheduler scheduler) {
        this.scheduler = scheduler;
    }

    synchronized long count() {
        WheelScheduledExecutor current = scheduler.getWheelScheduledExecutor();
        if (current != executor) {
            executor = current;
            most = 0;
        }
        // In this order: a run that ends in between is not missed, and one that starts in between is not counted yet.
        long started = current.snapshot().totals().fired();
        most = Math.max(most, started - current.activeCount());
        return most;
    }
}
