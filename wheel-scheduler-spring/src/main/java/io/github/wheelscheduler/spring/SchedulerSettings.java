package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import io.github.wheelscheduler.spring.watch.WarningLimits;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** The settings of a scheduler: copies of the superclasses' private ones, and our own. */
final class SchedulerSettings {

    private static final int DEFAULT_POOL_SIZE = 256;
    private static final int DEFAULT_MAX_CATCH_UP = 10;

    // Some may be changed at any time.
    volatile boolean executeDelayedAfterShutdown = true;
    volatile boolean continuePeriodicAfterShutdown;
    volatile boolean waitForTasks;
    volatile long awaitTerminationMillis;
    volatile int poolSize;

    volatile SchedulerMode mode = SchedulerMode.RUN;

    // The others are for the next initialization.
    @Nullable
    TimeSource timeSource;

    @Nullable
    ThreadFactory customThreadFactory;

    boolean virtualThreads;

    @Nullable
    Duration tick;

    @Nullable
    Duration workerKeepAlive;

    long maxPending = Long.MAX_VALUE;
    int maxCatchUp = DEFAULT_MAX_CATCH_UP;

    @Nullable
    Duration startTolerance;

    /** Null unless the scheduler is a group of another one. */
    @Nullable
    GroupOf groupOf;

    WarningLimits warningLimits = WarningLimits.defaults();

    /** Returns how many tasks may run at a time, unless virtual threads set no limit. */
    int workerLimit() {
        return poolSize > 0 ? poolSize : DEFAULT_POOL_SIZE;
    }

    /** Returns a builder of an executor with these settings. */
    WheelScheduledExecutorBuilder newBuilder(
            ThreadFactory threads, ThreadFactory tickThreads, InstantSource wallClock) {
        GroupOf group = groupOf;
        WheelScheduledExecutorBuilder builder = group != null
                ? group.newBuilder()
                : newBuilderOfWheel(tickThreads).wallClock(wallClock);
        builder.maxCatchUp(maxCatchUp).halted(mode != SchedulerMode.RUN);
        if (virtualThreads) {
            builder.threadPerRun(threads);
        } else {
            builder.threadFactory(threads);
        }
        if (poolSize > 0 || !virtualThreads) {
            builder.maxWorkers(workerLimit());
        }
        if (startTolerance != null) {
            builder.startTolerance(startTolerance);
        }
        if (workerKeepAlive != null) {
            builder.workerKeepAlive(workerKeepAlive);
        }
        return builder;
    }

    private WheelScheduledExecutorBuilder newBuilderOfWheel(ThreadFactory tickThreads) {
        WheelScheduledExecutorBuilder builder = WheelScheduledExecutor.builder()
                .maxPending(maxPending)
                .tickThreadFactory(customThreadFactory != null ? customThreadFactory : tickThreads);
        if (timeSource != null) {
            builder.timeSource(timeSource);
        }
        if (tick != null) {
            builder.tick(tick);
        }
        return builder;
    }

    /** Which group of which scheduler. */
    record GroupOf(WheelTaskScheduler scheduler, String name, int queueCapacity, OnFull onFull) {

        private WheelScheduledExecutorBuilder newBuilder() {
            return scheduler
                    .getWheelScheduledExecutor()
                    .newGroup(name)
                    .queueCapacity(queueCapacity)
                    .onFull(onFull);
        }
    }

    /** Applies the shutdown policies. */
    void applyPoliciesTo(WheelScheduledExecutor executor) {
        executor.setContinueExistingPeriodicTasksAfterShutdownPolicy(continuePeriodicAfterShutdown);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(executeDelayedAfterShutdown);
    }
}
