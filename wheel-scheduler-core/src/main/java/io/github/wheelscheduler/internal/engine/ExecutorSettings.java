package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.RejectionHandler;
import io.github.wheelscheduler.RunHooks;
import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.worker.ElasticPool;
import io.github.wheelscheduler.internal.worker.ElasticPool.ThreadPolicy;
import io.github.wheelscheduler.internal.worker.ExecutorWorkers;
import io.github.wheelscheduler.internal.worker.Starter;
import io.github.wheelscheduler.internal.worker.ThreadPerRun;
import io.github.wheelscheduler.internal.worker.Workers;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The settings gathered by a {@link WheelScheduledExecutorBuilder}; valid by construction.
 *
 * @param groupName the name that is unique among the groups of an executor; null if this is no group; the parameters
 *     that follow then have their defaults
 * @param startToleranceNanos the maximum time by which a run of a repeating timer may start late to share a wake-up
 * @param queueCapacity the maximum number of runs that wait in the queue while the group is full
 * @param onFull the treatment of a run that is due while the group is full
 * @param standsApart whether neither pause, halt nor shutdown of the executor concern the group; it ends with the
 *     executor
 */
public record ExecutorSettings(
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
        long startToleranceNanos,
        RejectionHandler rejectionHandler,
        @Nullable Function<WheelTimer<?>, Runnable> decorator,
        @Nullable RunHooks hooks,
        @Nullable String groupName,
        int queueCapacity,
        OnFull onFull,
        boolean standsApart) {

    /** Returns after how many nanoseconds the clocks are to be compared again. */
    long checkIntervalNanos() {
        return clock.isVirtual() ? WallClockWatch.FAR_NANOS : WallClockWatch.CHECK_INTERVAL_NANOS;
    }

    /** Creates the workers that these settings ask for; none starts yet. */
    Workers newWorkers(Starter starter, Workers.Listener listener) {
        Executor target = threadPerRun == null ? executor : new ThreadPerRun(threadPerRun);
        if (groupName != null) {
            return target instanceof ThreadPerRun threads
                    ? newPool(ThreadPolicy.PER_RUN, threads, starter, maxWorkers, listener, hooks)
                    : newPool(ThreadPolicy.ON_DEMAND, threadFactory, starter, maxWorkers, listener, hooks);
        }
        if (target != null) {
            // The machine's time, even in virtual time: it limits the log lines of these workers.
            LongSupplier logClock = new TimeSource()::nanoTime;
            return new ExecutorWorkers(target, tickThreadFactory, maxWorkers, logClock, listener, hooks);
        }
        return newPool(ThreadPolicy.KEEP_SOME, threadFactory, starter, maxWorkers, listener, hooks);
    }

    /** Creates the worker that ends runs rejected by a full group. */
    Workers newRefusalWorkers(Starter starter, Workers.Listener listener) {
        return newPool(ThreadPolicy.ON_DEMAND, threadFactory, starter, 1, listener, null);
    }

    private Workers newPool(
            ThreadPolicy policy,
            ThreadFactory threads,
            Starter starter,
            int maxSize,
            Workers.Listener listener,
            @Nullable RunHooks runHooks) {
        return new ElasticPool(
                policy, threads, starter, maxSize, workerKeepAliveNanos, clock::nanoTime, listener, runHooks);
    }
}
