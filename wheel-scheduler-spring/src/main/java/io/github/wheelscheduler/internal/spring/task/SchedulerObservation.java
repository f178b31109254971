package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.RunObserver;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.spring.watch.RunLateness;
import io.github.wheelscheduler.spring.watch.WarningLimits;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongBinaryOperator;

/**
 * Passes on the observations of runs: to the distributions of lateness and their listeners, to warnings, to the watch,
 * and to the task itself.
 */
public final class SchedulerObservation implements RunObserver {

    private final WheelScheduledExecutor executor;
    private final SchedulerWarnings warnings;
    final RunWatch watch;

    /** The part of a wait that is not due to a pause. */
    private final LongBinaryOperator notPaused;

    private final RunLateness lateness;
    private final long oversleepNanos;
    private final long queueWaitNanos;

    /**
     * Creates one for an executor, to be its observer.
     *
     * @param threads makes the thread of the watch
     * @param notPaused returns how much of a wait, in nanoseconds, that ends at a time of the monotonic clock, is not
     *     due to a pause
     */
    public SchedulerObservation(
            WheelScheduledExecutor executor,
            ThreadFactory threads,
            SchedulerWarnings warnings,
            RunLateness lateness,
            WarningLimits limits,
            LongBinaryOperator notPaused) {
        this.executor = executor;
        this.warnings = warnings;
        this.watch = new RunWatch(executor, threads, warnings, limits);
        this.lateness = lateness;
        this.notPaused = notPaused;
        this.oversleepNanos = nanosOrNever(limits.oversleep());
        this.queueWaitNanos = nanosOrNever(limits.queueWait());
    }

    /** Huge limits are cut. */
    static long nanosOrNever(Duration limit) {
        return limit.isZero() ? Long.MAX_VALUE : TimeUnit.NANOSECONDS.convert(limit);
    }

    @Override
    public void starting(Object task, long wheelNanos, long queueNanos, long nowNanos) {
        starting(task, 0, wheelNanos, queueNanos, nowNanos);
    }

    /** Notes by how much the series itself is late for the task alone. */
    @Override
    public void startingLate(Object task, long ownNanos, long queueNanos, long nowNanos) {
        starting(task, ownNanos, 0, queueNanos, nowNanos);
    }

    private void starting(Object task, long ownNanos, long wheelNanos, long queueNanos, long nowNanos) {
        Object known = SeriesRun.behind(task);
        if (known instanceof GuardedTask guarded && !SeriesRun.isTriggered(task)) {
            guarded.startsLate(ownNanos + wheelNanos + queueNanos, nowNanos);
        }
        try {
            lateness.starting(wheelNanos, queueNanos, nowNanos);
            if (wheelNanos > oversleepNanos) {
                warnings.overslept(wheelNanos, known);
            }
            if (queueNanos > queueWaitNanos && notPaused.applyAsLong(queueNanos, nowNanos) > queueWaitNanos) {
                warnings.cannotKeepUp(queueNanos, known, executor);
            }
        } finally {
            // Also if the notes fail: the run that starts may be the one to watch.
            watch.runStarts();
        }
    }
}
