package io.github.wheelscheduler;

import io.github.wheelscheduler.worker.RunHooks;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a {@link WheelScheduledExecutorBuilder} has gathered; valid by construction. */
record ExecutorSettings(
        MonotonicClock clock,
        InstantSource wallClock,
        int tickShift,
        int maxWorkers,
        long workerKeepAliveNanos,
        ThreadFactory threadFactory,
        ThreadFactory tickThreadFactory,
        @Nullable ThreadFactory threadPerRun,
        @Nullable Executor executor,
        long maxPending,
        int maxCatchUp,
        RejectionHandler rejectionHandler,
        @Nullable Function<WheelTimer<?>, Runnable> decorator,
        @Nullable RunHooks hooks) {}
