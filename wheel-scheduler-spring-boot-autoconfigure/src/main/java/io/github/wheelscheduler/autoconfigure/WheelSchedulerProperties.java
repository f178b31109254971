package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the auto-configured scheduler. Whatever has been bound is usable.
 *
 * @param enabled Whether scheduled tasks run on the timing wheel instead of on Spring Boot's own scheduler.
 * @param tick How far a start time may be rounded up, between 1us and 1s. A fine tick costs no wake-ups.
 * @param maxPending Maximum number of tasks that are pending or repeating. Further tasks are rejected. Unlimited unless set.
 * @param maxCatchUp Maximum number of missed runs that a fixed-rate task makes up. 0 goes on with the next run in phase.
 */
@ConfigurationProperties(WheelSchedulerProperties.PREFIX)
record WheelSchedulerProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("16384ns") Duration tick,
        @DefaultValue Worker worker,
        @Nullable Long maxPending,
        @DefaultValue("10") int maxCatchUp) {

    static final String PREFIX = "wheel.scheduler";

    WheelSchedulerProperties {
        UnusablePropertyException.unless(
                tick.compareTo(WheelScheduledExecutorBuilder.MIN_TICK) >= 0
                        && tick.compareTo(WheelScheduledExecutorBuilder.MAX_TICK) <= 0,
                PREFIX + ".tick",
                tick,
                "must be between 1us and 1s",
                "1ms");
        UnusablePropertyException.unless(
                maxPending == null || maxPending >= 1,
                PREFIX + ".max-pending",
                maxPending,
                "must be at least 1",
                "100000");
        UnusablePropertyException.unless(
                maxCatchUp >= 0, PREFIX + ".max-catch-up", maxCatchUp, "must not be negative", "0");
    }

    /** Applies everything except the limit of workers, which not only this decides. */
    void applyTo(WheelTaskScheduler scheduler) {
        scheduler.setTick(tick);
        scheduler.setWorkerKeepAlive(worker.keepAlive());
        scheduler.setMaxCatchUp(maxCatchUp);
        if (maxPending != null) {
            scheduler.setMaxPending(maxPending);
        }
    }

    /**
     * Settings of the threads that run tasks.
     *
     * @param maxSize Maximum number of tasks that run at a time. If not set, it is what you set
     *     spring.task.scheduling.pool.size to, else 256. With virtual threads, it is what you set
     *     spring.task.scheduling.simple.concurrency-limit to, else unlimited.
     * @param keepAlive How long a worker thread stays idle before it ends. Doesn't have an effect if virtual threads are
     *     enabled.
     */
    record Worker(
            @Nullable Integer maxSize, @DefaultValue("60s") Duration keepAlive) {

        Worker {
            UnusablePropertyException.unless(
                    maxSize == null || maxSize >= 1, PREFIX + ".worker.max-size", maxSize, "must be at least 1", "16");
            UnusablePropertyException.unless(
                    !keepAlive.isNegative(), PREFIX + ".worker.keep-alive", keepAlive, "must not be negative", "60s");
        }
    }
}
