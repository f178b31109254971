package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.RunningTask;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.spring.watch.WarningLimits;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Detects runs that take too long, on a thread of its own, as those very runs could block a worker. The thread starts
 * with the first run, and sleeps for good when none has been active for a second or two.
 */
final class RunWatch {

    /** So often within a limit the runs are looked at. */
    private static final int LOOKS_PER_LIMIT = 4;

    private static final long SHORTEST_PAUSE_NANOS = 1_000_000;

    /** Longer than a thread is delayed between announcing the start of its run and showing it. */
    private static final long SETTLE_NANOS = 1_000_000_000;

    private final WheelScheduledExecutor executor;
    private final ThreadFactory threads;
    private final SchedulerWarnings warnings;
    private final WarningLimits limits;

    /** 0 as long as there is no limit. */
    private volatile long lookEveryNanos;

    /** A run has started since the watch found none. */
    private final AtomicBoolean alert = new AtomicBoolean();

    /** Written by itself. */
    private volatile @Nullable Thread thread;

    private volatile boolean stopped;

    /** Runs that have been warned of, or interrupted. Watch only. */
    private Set<Known> known = new HashSet<>();

    /** A run, which a thread does only one of at a time. */
    private record Known(Thread thread, long startedNanos, boolean isInterrupted) {}

    RunWatch(WheelScheduledExecutor executor, ThreadFactory threads, SchedulerWarnings warnings, WarningLimits limits) {
        this.executor = executor;
        this.threads = threads;
        this.warnings = warnings;
        this.limits = limits;
        Duration shortest = limits.run() != null ? limits.run() : limits.interrupt();
        if (shortest != null) {
            lookWithin(shortest);
        }
    }

    /** Looks so often that a limit of that length is kept, too. */
    @SuppressWarnings("this-escape")
    synchronized void lookWithin(Duration limit) {
        long nanos = Math.max(SHORTEST_PAUSE_NANOS, TimeUnit.NANOSECONDS.convert(limit) / LOOKS_PER_LIMIT);
        if (lookEveryNanos == 0 || nanos < lookEveryNanos) {
            lookEveryNanos = nanos;
            LockSupport.unpark(thread);
        }
    }

    /** Called for each run that starts, on its thread. */
    void runStarts() {
        if (lookEveryNanos > 0 && !alert.get() && alert.compareAndSet(false, true)) {
            // One at a time: the thread alone ends the alert, or a failure to start it.
            if (thread == null) {
                startThread();
            } else {
                LockSupport.unpark(thread);
            }
        }
    }

    private void startThread() {
        try {
            Thread created = threads.newThread(this::watch);
            created.setDaemon(true);
            created.start();
        } catch (Throwable ex) {
            alert.set(false);
            throw ex;
        }
    }

    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    private void watch() {
        thread = Thread.currentThread();
        long seenNanos = executor.nanoTime();
        while (!stopped) {
            boolean wasAlert = alert.get();
            LockSupport.parkNanos(this, lookEveryNanos);
            boolean ignored = Thread.interrupted();
            if (stopped) {
                return;
            }
            boolean hasSettled = executor.nanoTime() - seenNanos >= SETTLE_NANOS;
            if (look()) {
                alert.set(true);
                seenNanos = executor.nanoTime();
            } else if (hasSettled && wasAlert) {
                // A run that has found the alert set is seen only after this: so the watch continues to look for a
                // while.
                alert.set(false);
                seenNanos = executor.nanoTime();
            } else if (hasSettled && !alert.get()) {
                LockSupport.park(this);
                seenNanos = executor.nanoTime();
            }
        }
    }

    /** Checks all runs once, and returns whether there are any; a failing log or clock does not end the watch. */
    private boolean look() {
        try {
            List<RunningTask> running = executor.runningFor(Duration.ZERO);
            Set<Known> stillKnown = new HashSet<>();
            for (RunningTask run : running) {
                handle(run, limits.run(), new Known(run.thread(), run.startedNanos(), false), stillKnown);
                handle(run, interruptLimit(run), new Known(run.thread(), run.startedNanos(), true), stillKnown);
            }
            known = stillKnown;
            return !running.isEmpty();
        } catch (Throwable ex) {
            return true;
        }
    }

    /** Returns after how long a run is to be interrupted; null for never. */
    private @Nullable Duration interruptLimit(RunningTask run) {
        Duration own = SeriesRun.behind(run.task()) instanceof GuardedTask guarded
                ? guarded.owner.settings().timeLimit()
                : null;
        Duration interruptAfter = limits.interrupt();
        return own == null || (interruptAfter != null && interruptAfter.compareTo(own) < 0) ? interruptAfter : own;
    }

    private void handle(RunningTask run, @Nullable Duration limit, Known key, Set<Known> stillKnown) {
        if (limit != null && run.runningFor().compareTo(limit) >= 0 && (known.contains(key) || deal(run, limit, key))) {
            stillKnown.add(key);
        }
    }

    /** Warns or interrupts; false if that is to be retried, since the task says that it has just begun. */
    private boolean deal(RunningTask run, Duration limit, Known key) {
        Object task = SeriesRun.behind(run.task());
        // Before the interrupt, which moves it on.
        String stack = SchedulerWarnings.stackOf(run.thread());
        String trace = warnings.traceOf(run.thread());
        if (key.isInterrupted) {
            if (!(task instanceof GuardedTask guarded)) {
                return true;
            }
            if (!guarded.interruptIfRunningFor(TimeUnit.NANOSECONDS.convert(limit))) {
                return false;
            }
        }
        warnings.runsLong(task, run.runningFor(), limit, key.isInterrupted, trace, stack);
        return true;
    }
}
