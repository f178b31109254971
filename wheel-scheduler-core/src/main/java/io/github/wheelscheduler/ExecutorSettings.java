package io.github.wheelscheduler;

import io.github.wheelscheduler.worker.ElasticPool;
import io.github.wheelscheduler.worker.FedWorkers;
import io.github.wheelscheduler.worker.RunHooks;
import io.github.wheelscheduler.worker.Starter;
import io.github.wheelscheduler.worker.Workers;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What a {@link WheelScheduledExecutorBuilder} has gathered; valid by construction. */
record ExecutorSettings(
        TimeSource clock,
        InstantSource wallClock,
        boolean halted,
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
        @Nullable RunHooks hooks) {

    /** Returns after how many nanoseconds the clocks are to be compared again. */
    long checkIntervalNanos() {
        return clock.isVirtual() ? WallClockWatch.FAR_NANOS : WallClockWatch.CHECK_INTERVAL_NANOS;
    }

    /** Creates the workers that these settings ask for; none starts yet. */
    Workers newWorkers(Starter starter, Workers.Listener listener) {
        // By the machine's time, whatever the executor's is: what these two tell the log is limited by it.
        LongSupplier logClock = new TimeSource()::nanoTime;
        if (executor != null) {
            return FedWorkers.ofExecutor(executor, tickThreadFactory, maxWorkers, logClock, listener, hooks);
        }
        if (threadPerRun != null) {
            return FedWorkers.ofThreadPerRun(threadPerRun, tickThreadFactory, maxWorkers, logClock, listener, hooks);
        }
        return ElasticPool.of(
                threadFactory, starter, maxWorkers, workerKeepAliveNanos, clock::nanoTime, listener, hooks);
    }
}
