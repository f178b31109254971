package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.Pacing;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.ShortMemory;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** The task of the timers of a cron or another trigger: each run arms the timer of the next one. */
final class CronRun extends SeriesRun {

    /*
     * Each run has a timer of its own, the series' current one. cancel and the arming of the next timer meet without a
     * lock:
     *
     *      cancel of the series                    end of a run
     *   1  timer = current                      1  wait until current is this run's timer
     *   2  cancel timer; won: cancelled = true  2  arm the next timer, which fails if this one is cancelled
     *   3  current != timer?  go to 1           3  current = next, unless the series has been re-timed
     *                                           4  re-timed, or is the series or this one cancelled?
     *                                              cancel the next one, too
     *
     * A run may begin before the thread that has armed it is at 3; so it waits for that, or for the end of the run
     * before, which comes without 3 if an error has skipped it. There is no lock from 2 to 3: that error, for which
     * there was no memory, might leave it locked.
     */

    /** Applications set levels by this name. */
    private static final Log logger = LogFactory.getLog("io.github.wheelscheduler.spring.TriggerSeries");

    private static final long NOT_TAKEN = -1;
    private static final long SHORTEST_PAUSE_NANOS = 1_000_000;
    private static final long LONGEST_PAUSE_NANOS = 100_000_000;

    /** Between arming a timer and noting it, its caller does nothing that takes time. */
    private static final long NOTING_PAUSE_NANOS = 10_000;

    private final TriggerTimes times;
    private final WheelScheduledExecutor executor;

    /**
     * The task for an executor that a subclass has wrapped around the wheel's; null if there is none. Written before
     * the first run.
     */
    @Nullable
    WrappedRun wrapped;

    // Written by the thread that starts the series, and by the run that is arming the next one.

    /** The instant of the current run. */
    private @Nullable Instant scheduled;

    /** The due time of that run, which may be postponed. Read by any thread. */
    volatile @Nullable Instant due;

    /** The timer whose run is arming the next one, or has. */
    private @Nullable ScheduledFuture<?> ending;

    /**
     * For how long the task rests from the end of the run on that is being followed; less than 0 until it is taken,
     * which is once.
     */
    private long restNanos = NOT_TAKEN;

    CronRun(GuardedTask guard, int generation, TaskRules.@Nullable Pace pace, TriggerTimes times) {
        super(guard, generation, pace);
        this.times = times;
        this.executor = guard.book.timers.executor();
    }

    /** Asks the trigger for the first run; false if it names no instant. */
    boolean hasFirst() {
        scheduled = times.next(null, 0);
        return scheduled != null;
    }

    /** Arms the first run, which has been asked for. */
    ScheduledFuture<?> start() {
        Instant instant = Objects.requireNonNull(scheduled);
        Instant first = putOff(instant);
        return wrapped == null
                ? executor.scheduleAt(this, first, tolerance(instant, first))
                : wrapped.armAt(first, times.getClock().instant());
    }

    private Instant putOff(Instant instant) {
        Instant later = times.putOff(instant, pace == null ? 0 : pace.drawPutOffNanos());
        due = later;
        return later;
    }

    /** Returns how late a run may start; the limit is asked for only where that is a question. */
    private Duration tolerance(Instant instant, Instant later) {
        long usualNanos = executor.startTolerance().toNanos();
        boolean isOwn = pace != null && pace.hasOwnTolerance();
        if (usualNanos == 0 && !isOwn) {
            return Duration.ZERO;
        }
        long limitNanos = times.longestTolerance(instant, later, isOwn);
        return Duration.ofNanos(
                pace == null
                        ? Pacing.cutTolerance(usualNanos, limitNanos)
                        : pace.startToleranceNanos(usualNanos, limitNanos));
    }

    @Override
    public void run() {
        Instant actual = startOfRun();
        boolean ran = guard.owner.isCurrent(generation);
        boolean isLeftOut = ran && hasMissed(actual);
        if (ran && !isLeftOut) {
            super.run();
        }
        goOn(ran, isLeftOut, actual);
    }

    /** Goes on without the run. */
    @Override
    public void refused(RejectedExecutionException reason) {
        Instant actual = startOfRun();
        try {
            super.refused(reason);
        } finally {
            goOn(guard.owner.isCurrent(generation), false, actual);
        }
    }

    /** Whether the run must not take place as its instant is long over. */
    private boolean hasMissed(@Nullable Instant actual) {
        Instant instant = due;
        try {
            return pace != null
                    && actual != null
                    && instant != null
                    && pace.skipsInstant(Duration.between(instant, actual));
        } catch (OutOfMemoryError ex) {
            return false;
        }
    }

    /** Returns the time now; null if there is no memory for it or the clock fails, which is no reason not to run. */
    private @Nullable Instant startOfRun() {
        try {
            return times.getClock().instant();
        } catch (Throwable ex) {
            return null;
        }
    }

    /** Returns the time now; if the clock fails, the last one that is known. */
    private Instant endOfRun(@Nullable Instant actual) {
        try {
            return Objects.requireNonNull(times.getClock().instant());
        } catch (VirtualMachineError ex) {
            throw ex;
        } catch (Throwable ex) {
            return actual != null ? actual : Objects.requireNonNull(scheduled);
        }
    }

    /**
     * Notes the instants that are over without a run, once, as soon as a run has ended or was left out. Does not fail.
     */
    private void countMissed(boolean isLeftOut, Instant completion) {
        try {
            Instant last = scheduled;
            long missed = (isLeftOut ? 1 : 0) + (last == null ? 0 : times.passed(last, completion));
            if (missed > 0 && guard.owner.isCurrent(generation)) {
                guard.leftOut(Math.min(missed, TriggerTimes.MOST_COUNTED));
            }
        } catch (Throwable ex) {
            // A run that is not counted is no reason for a series to end.
        }
    }

    /** Arms the next run. A series does not end for lack of memory: it is tried until there is some. */
    private void goOn(boolean ran, boolean isLeftOut, @Nullable Instant actual) {
        ScheduledFuture<?> finished = awaitNoted();
        if (finished == null) {
            return;
        }
        Instant scheduledOfRun = scheduled;
        Instant dueOfRun = due;
        Instant completion = null;
        long pauseNanos = SHORTEST_PAUSE_NANOS;
        while (true) {
            try {
                if (completion == null) {
                    completion = endOfRun(actual);
                    countMissed(isLeftOut, completion);
                }
                endRun(finished, ran, actual, completion);
                return;
            } catch (OutOfMemoryError ex) {
                if (!mayTryAgain(finished)) {
                    boolean ignored = finished.cancel(false);
                    return;
                }
                if (pauseNanos == SHORTEST_PAUSE_NANOS) {
                    warnOfShortMemory(ex);
                }
                ShortMemory.pause(pauseNanos);
                scheduled = scheduledOfRun;
                due = dueOfRun;
                pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
            }
        }
    }

    private boolean isEnded(ScheduledFuture<?> timer) {
        return timer.isCancelled() || !guard.owner.isCurrent(generation);
    }

    private boolean mayTryAgain(ScheduledFuture<?> timer) {
        boolean goesOnAfterShutdown = executor.getContinueExistingPeriodicTasksAfterShutdownPolicy()
                && !Thread.currentThread().isInterrupted();
        return !isEnded(timer) && (!executor.isShutdown() || goesOnAfterShutdown);
    }

    private void warnOfShortMemory(OutOfMemoryError failure) {
        try {
            logger.warn(
                    "Out of memory while scheduling the next run of " + taskName()
                            + "; retrying, so it may start late. Raise the heap",
                    failure);
        } catch (Throwable ex) {
            // It is retried all the same.
        }
    }

    /**
     * Waits until the timer of this run has been noted, or no thread is left that would; null if the series is
     * cancelled or re-timed.
     */
    private @Nullable ScheduledFuture<?> awaitNoted() {
        if (wrapped != null && wrapped.isCalledHere()) {
            // The thread that would note it is this one.
            return null;
        }
        TaskSeries series = guard.owner;
        ScheduledFuture<?> before = ending;
        while (series.timerOf(generation) == before
                && series.isCurrent(generation)
                && (before == null || !before.isDone())) {
            ShortMemory.pause(NOTING_PAUSE_NANOS);
        }
        // Read after that: the run before notes this timer, and then is done.
        ScheduledFuture<?> noted = series.timerOf(generation);
        ending = noted;
        return noted;
    }

    private void endRun(ScheduledFuture<?> finished, boolean ran, @Nullable Instant actual, Instant completion) {
        if (!ran || isEnded(finished)) {
            boolean ignored = finished.cancel(false);
            return;
        }
        times.update(scheduled, actual != null ? actual : scheduled, completion);
        if (restNanos == NOT_TAKEN) {
            restNanos = pace == null ? 0 : pace.restNanos();
        }
        Instant next = nextOrReport();
        if (next == null) {
            guard.releaseAtEnd(generation);
            return;
        }
        scheduled = next;
        ScheduledFuture<?> armed = armNext(finished, next, putOff(next), completion);
        restNanos = NOT_TAKEN;
        if (armed == null) {
            boolean ignored = finished.cancel(false);
        } else if (!guard.owner.note(generation, armed) || finished.isCancelled()) {
            boolean ignored = armed.cancel(false);
        }
    }

    /** Arms the next run; null if none is to follow. An executor that rejects it otherwise ends the series. */
    private @Nullable ScheduledFuture<?> armNext(
            ScheduledFuture<?> finished, Instant instant, Instant next, Instant completion) {
        WrappedRun around = wrapped;
        if (around == null) {
            return executor.scheduleNext((WheelTimer<?>) finished, this, next, tolerance(instant, next));
        }
        if (finished.isCancelled() || executor.isShutdown()) {
            return null;
        }
        try {
            return around.armAt(next, endOfRun(completion));
        } catch (OutOfMemoryError ex) {
            throw ex;
        } catch (Throwable ex) {
            if (executor.isShutdown()) {
                return null;
            }
            report("The executor around the wheel rejected the next run", "raise the limits of that executor", ex);
            throw ex;
        }
    }

    private @Nullable Instant nextOrReport() {
        try {
            return times.next(scheduled, restNanos);
        } catch (OutOfMemoryError ex) {
            throw ex;
        } catch (Throwable ex) {
            guard.releaseAtEnd(generation);
            report("The trigger " + NamedTask.of(times.trigger) + " failed", "fix the trigger", ex);
            throw ex;
        }
    }

    private void report(String what, String remedy, Throwable failure) {
        try {
            logger.warn(what + "; there are no more runs of " + taskName() + " until it is scheduled again: " + remedy);
            guard.book.timers.failures.triggerHandler().handleError(failure);
        } catch (OutOfMemoryError ex) {
            // The future says it all the same.
        }
    }
}
