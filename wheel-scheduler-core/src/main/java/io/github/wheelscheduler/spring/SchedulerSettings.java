package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import io.github.wheelscheduler.spring.watch.WarningLimits;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.TaskDecorator;

/** What a scheduler has been told: copies of what its superclasses keep to themselves, and settings of our own. */
final class SchedulerSettings {

    private static final int DEFAULT_POOL_SIZE = 256;
    private static final int DEFAULT_MAX_CATCH_UP = 10;

    // Some may be changed at any time.
    volatile @Nullable TaskDecorator taskDecorator;
    volatile boolean executeDelayedAfterShutdown = true;
    volatile boolean continuePeriodicAfterShutdown;
    volatile boolean waitForTasks;
    volatile long awaitTerminationMillis;
    volatile int poolSize;

    volatile SchedulerMode mode = SchedulerMode.RUN;

    volatile TaskCatalog taskCatalog = new TaskCatalog();

    /** Null for the name of this machine. */
    volatile @Nullable String node;

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
    WarningLimits warningLimits = WarningLimits.defaults();

    /** Returns what tells this node from others. */
    String node() {
        String known = node;
        if (known == null) {
            // The network may have to be asked.
            known = NodeName.ofThisMachine();
            node = known;
        }
        return known;
    }

    /** Returns how many tasks may run at a time, unless virtual threads set no limit. */
    int workerLimit() {
        return poolSize > 0 ? poolSize : DEFAULT_POOL_SIZE;
    }

    /** Returns a builder of an executor with these settings. */
    WheelScheduledExecutorBuilder newBuilder(ThreadFactory threads, ThreadFactory tickThreads) {
        WheelScheduledExecutorBuilder builder = WheelScheduledExecutor.builder()
                .maxPending(maxPending)
                .maxCatchUp(maxCatchUp)
                .halted(mode != SchedulerMode.RUN)
                .tickThreadFactory(customThreadFactory != null ? customThreadFactory : tickThreads);
        if (virtualThreads) {
            builder.threadPerRun(threads);
        } else {
            builder.threadFactory(threads);
        }
        if (poolSize > 0 || !virtualThreads) {
            builder.maxWorkers(workerLimit());
        }
        if (timeSource != null) {
            builder.timeSource(timeSource);
        }
        if (tick != null) {
            builder.tick(tick);
        }
        if (workerKeepAlive != null) {
            builder.workerKeepAlive(workerKeepAlive);
        }
        return builder;
    }

    void applyPoliciesTo(WheelScheduledExecutor created) {
        created.setContinueExistingPeriodicTasksAfterShutdownPolicy(continuePeriodicAfterShutdown);
        created.setExecuteExistingDelayedTasksAfterShutdownPolicy(executeDelayedAfterShutdown);
    }
}
