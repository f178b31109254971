package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.Pacing;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.spring.task.CalendarTimer;
import io.github.wheelscheduler.spring.task.GuardedTask;
import io.github.wheelscheduler.spring.task.TaskWrapper;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.DelegatingErrorHandlingRunnable;
import org.springframework.scheduling.support.PeriodicTrigger;
import org.springframework.scheduling.support.SimpleTriggerContext;
import org.springframework.util.ErrorHandler;

/**
 * The runs of a task at the instants that a trigger names, one after the other.
 *
 * <p>As a future it stands for the current run: it is done when the last run is, {@link #get()} waits for the run that is
 * pending or going on, and {@link #cancel} ends the series.
 *
 * <p>It is long because it is task and future at once, and because naming the next instant, arming it and cancelling meet in the same
 * few fields: a step that fails, as when memory is short, leaves them as they were and is tried again.
 */
final class TriggerSeries
        implements Runnable, ScheduledFuture<@Nullable Object>, CalendarTimer, TaskWrapper, ManagedTask {

    /*
     * Each run has a timer of its own. cancel and the arming of the next timer meet without a lock:
     *
     *      cancel                                  end of a run
     *   1  timer = current                      1  wait until current is this run's timer
     *   2  cancel timer; won: cancelled = true  2  arm the next timer, which fails if this one is cancelled
     *   3  current != timer?  go to 1           3  current = next
     *                                           4  is this one cancelled?  cancel the next one, too
     *
     * A run may begin before the thread that has armed it is at 3; so it waits for that, or for the end of the run before, which comes without 3
     * if an error has skipped it. There is no lock: that error, for which there was no memory, would leave it locked (see ADR 15).
     */

    private static final Log logger = LogFactory.getLog(TriggerSeries.class);

    private static final long SHORTEST_PAUSE_NANOS = 1_000_000;
    private static final int LONGEST_REPETITION_SECONDS = 3 * 3_600;
    private static final long LONGEST_PAUSE_NANOS = 100_000_000;

    /** Between arming a timer and noting it, its caller does nothing that takes time. */
    private static final long NOTING_PAUSE_NANOS = 10_000;

    private final Runnable task;
    private final Runnable guardedTask;
    private final Trigger trigger;
    private final ErrorHandler errorHandler;
    private final WheelScheduledExecutor executor;
    private final SimpleTriggerContext context;

    /** Writers: who starts the series; the run that has armed the next one. */
    private volatile @Nullable WheelTimer<?> current;

    /** The timer whose run is arming the next one, or has. Writer: the run. */
    private volatile @Nullable WheelTimer<?> ending;

    /** Whether {@link #start} is over. */
    private volatile boolean started;

    /** A cancel has won, whatever the next timer looks like that a run was arming meanwhile. */
    private volatile boolean cancelled;

    /** The instant of the current run. Written by who starts the series, and by the run that is arming the next one. */
    private volatile @Nullable Instant scheduled;

    /** Null for nobody. */
    private final @Nullable Pacing pacing;

    /** For how long the task rests from the end of the run on that is being followed; taken once. By the run that is arming the next one. */
    private long restNanos;

    private boolean isRestTaken;

    /** When that run is due, which may be put off. Written as {@link #scheduled}. */
    private volatile @Nullable Instant due;

    TriggerSeries(
            Runnable task, Trigger trigger, Clock clock, WheelScheduledExecutor executor, ErrorHandler errorHandler) {
        this.task = task;
        this.pacing = ManagedTask.pacingOf(task);
        this.guardedTask = task instanceof DelegatingErrorHandlingRunnable
                ? task
                : new DelegatingErrorHandlingRunnable(task, errorHandler);
        this.trigger = trigger;
        this.errorHandler = errorHandler;
        this.executor = executor;
        // Spring's crons ask for the zone before each run. A user's trigger sees the user's clock.
        this.context = new SimpleTriggerContext(GuardedTask.isCron(trigger) ? new LastZoneClock(clock) : clock);
    }

    /** Asks the trigger for the first run; false if it names no instant. */
    boolean hasFirst() {
        scheduled = trigger.nextExecution(context);
        return scheduled != null;
    }

    /** Arms the first run, which has been asked for, and returns this. */
    ScheduledFuture<?> start() {
        try {
            current = executor.scheduleAt(this, putOff(Objects.requireNonNull(scheduled)));
            return this;
        } finally {
            started = true;
        }
    }

    @Override
    public void run() {
        Instant actual = startOfRun();
        boolean ran = !cancelled;
        boolean isLeftOut = ran && hasMissed(actual);
        if (ran && !isLeftOut) {
            guardedTask.run();
        }
        goOn(ran, isLeftOut, actual);
    }

    /** Goes on without the run. */
    @Override
    public void refused(RejectedExecutionException reason) {
        Instant actual = startOfRun();
        try {
            if (task instanceof ManagedTask managed) {
                managed.refused(reason);
            }
        } finally {
            goOn(!cancelled, false, actual);
        }
    }

    /** Whether the run must not take place as its instant is long over. */
    private boolean hasMissed(@Nullable Instant actual) {
        Instant instant = due;
        if (pacing == null
                || actual == null
                || instant == null
                || !(GuardedTask.behind(task) instanceof GuardedTask guarded)
                || !guarded.maySkipInstants()) {
            return false;
        }
        try {
            return guarded.skipsInstant(Duration.between(instant, actual));
        } catch (OutOfMemoryError ex) {
            return false;
        }
    }

    /** Returns when a run is due for that instant. */
    private Instant putOff(Instant instant) {
        long nanos = pacing == null ? 0 : pacing.drawPutOffNanos();
        Instant later = nanos == 0 ? instant : instant.plusNanos(withinInterval(instant, nanos));
        due = later;
        return later;
    }

    /** Returns as much of it as does not reach to the instant after that one. */
    private long withinInterval(Instant instant, long nanos) {
        if (instant.isAfter(Instant.MAX.minusNanos(nanos))) {
            return 0;
        }
        Instant following = GuardedTask.isCron(trigger) ? following(instant) : null;
        if (following == null || !following.isAfter(instant) || !following.isBefore(instant.plusNanos(nanos))) {
            return nanos;
        }
        return nanos % Math.max(1, Duration.between(instant, following).toNanos());
    }

    /** Returns the instant of a cron after that one; null if there is none. */
    private @Nullable Instant following(Instant instant) {
        SimpleTriggerContext then = new SimpleTriggerContext(context.getClock());
        then.update(instant, instant, instant);
        Instant following = trigger.nextExecution(then);
        return following == null ? null : nextAfter(instant, following);
    }

    /** Returns the time now; null if there is no memory for it or the clock fails, which is no reason not to run. */
    private @Nullable Instant startOfRun() {
        try {
            return context.getClock().instant();
        } catch (Throwable ex) {
            return null;
        }
    }

    /** Returns the time now; if the clock fails, the last one that is known. */
    private Instant endOfRun(@Nullable Instant actual) {
        try {
            return Objects.requireNonNull(context.getClock().instant());
        } catch (VirtualMachineError ex) {
            throw ex;
        } catch (Throwable ex) {
            return actual != null ? actual : Objects.requireNonNull(scheduled);
        }
    }

    /** Notes the instants that are over without a run, once, as soon as a run has ended or was left out. Does not fail. */
    private void countMissed(boolean isLeftOut, Instant completion) {
        try {
            long missed = missedUntil(completion, isLeftOut ? 1 : 0);
            if (missed > 0 && !isCancelled() && GuardedTask.behind(task) instanceof GuardedTask guarded) {
                guarded.missedInstants(missed);
            }
        } catch (Throwable ex) {
            // What is not counted is no reason for a series to end.
        }
    }

    /** Returns how many instants of a cron have passed since that of the current run, with the known ones, up to as many as are counted. */
    private long missedUntil(Instant end, long known) {
        Instant last = scheduled;
        // Instants of a cron are whole seconds apart.
        if (last == null || end.getEpochSecond() <= last.getEpochSecond() || !GuardedTask.isCron(trigger)) {
            return known;
        }
        long missed = known;
        Instant next = following(last);
        while (next != null && !next.isAfter(end) && missed < GuardedTask.MOST_COUNTED) {
            missed++;
            next = following(next);
        }
        return missed;
    }

    /** Arms the next run. A series does not end for lack of memory: it is tried until there is some. */
    private void goOn(boolean ran, boolean isLeftOut, @Nullable Instant actual) {
        awaitNoted();
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
                endRun(ran, actual, completion);
                return;
            } catch (OutOfMemoryError ex) {
                if (!mayTryAgain()) {
                    boolean ignored = timer().cancel(false);
                    return;
                }
                if (pauseNanos == SHORTEST_PAUSE_NANOS) {
                    warnOfShortMemory(ex);
                }
                pause(pauseNanos);
                // What was to do so may have been skipped.
                scheduled = scheduledOfRun;
                due = dueOfRun;
                pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
            }
        }
    }

    private boolean mayTryAgain() {
        boolean goesOnAfterShutdown = executor.getContinueExistingPeriodicTasksAfterShutdownPolicy()
                && !Thread.currentThread().isInterrupted();
        return !isCancelled() && (!executor.isShutdown() || goesOnAfterShutdown);
    }

    private void warnOfShortMemory(OutOfMemoryError failure) {
        try {
            logger.warn("Memory is too short to arm the next run of " + taskName() + ", which is tried again", failure);
        } catch (Throwable ex) {
            // It is tried again all the same.
        }
    }

    private void pause(long nanos) {
        try {
            LockSupport.parkNanos(this, nanos);
        } catch (OutOfMemoryError ex) {
            // Virtual threads need memory to sleep.
            Thread.onSpinWait();
        }
    }

    /** Waits until the timer of this run has been noted, or nobody is left who would. */
    private void awaitNoted() {
        WheelTimer<?> before = ending;
        while (current == before && !(before == null ? started : before.isDone())) {
            pause(NOTING_PAUSE_NANOS);
        }
        ending = current;
    }

    private void endRun(boolean ran, @Nullable Instant actual, Instant completion) {
        WheelTimer<?> finished = timer();
        if (!ran || isCancelled()) {
            boolean ignored = finished.cancel(false);
        } else {
            context.update(scheduled, actual != null ? actual : scheduled, completion);
            armAfter(finished);
        }
    }

    private void armAfter(WheelTimer<?> finished) {
        if (pacing != null && !isRestTaken) {
            restNanos = pacing.restNanos();
            isRestTaken = true;
        }
        Instant next = nextOrReport(restNanos);
        if (next == null) {
            return;
        }
        WheelTimer<?> nextTimer = armFor(finished, next);
        isRestTaken = false;
        if (nextTimer == null) {
            boolean ignored = finished.cancel(false);
            return;
        }
        current = nextTimer;
        if (cancelled || finished.isCancelled()) {
            boolean ignored = nextTimer.cancel(false);
        }
    }

    /** If that fails, as when memory is short, the series stands where it stood. */
    private @Nullable WheelTimer<?> armFor(WheelTimer<?> finished, Instant next) {
        Instant scheduledBefore = scheduled;
        Instant dueBefore = due;
        boolean failed = true;
        try {
            scheduled = next;
            WheelTimer<?> armed = executor.scheduleNext(finished, this, putOff(next));
            failed = false;
            return armed;
        } finally {
            if (failed) {
                scheduled = scheduledBefore;
                due = dueBefore;
            }
        }
    }

    private @Nullable Instant nextOrReport(long restNanos) {
        try {
            Instant next = restNanos == 0 ? trigger.nextExecution(context) : nextAfterRest(restNanos);
            Instant last = scheduled;
            return trigger instanceof CronTrigger && next != null && last != null && !next.isAfter(last)
                    ? nextAfter(last, next)
                    : next;
        } catch (OutOfMemoryError ex) {
            throw ex;
        } catch (Throwable ex) {
            report(ex);
            throw ex;
        }
    }

    /** Asks as if the run had lasted until the end of a rest, and does not go by what is named before that. */
    private @Nullable Instant nextAfterRest(long restNanos) {
        Instant end = Objects.requireNonNull(context.lastCompletion()).plusNanos(restNanos);
        SimpleTriggerContext rested = new SimpleTriggerContext(context.getClock());
        rested.update(context.lastScheduledExecution(), context.lastActualExecution(), end.minusNanos(1));
        Instant next = trigger.nextExecution(rested);
        if (next == null || !next.isBefore(end)) {
            return next;
        }
        if (trigger.getClass() == PeriodicTrigger.class && ((PeriodicTrigger) trigger).isFixedRate()) {
            long periodNanos = ((PeriodicTrigger) trigger).getPeriodDuration().toNanos();
            long tooEarlyNanos = Duration.between(next, end).toNanos();
            return next.plusNanos(((tooEarlyNanos - 1) / periodNanos + 1) * periodNanos);
        }
        return end;
    }

    /**
     * Asks a cron again from ever later, as it has named an instant once more: Spring's does so for half an hour where clocks go back by
     * half an hour, as on Lord Howe Island.
     */
    private @Nullable Instant nextAfter(Instant last, Instant named) {
        Instant next = named;
        for (int seconds = 1; seconds <= LONGEST_REPETITION_SECONDS && next != null && !next.isAfter(last); seconds++) {
            SimpleTriggerContext later = new SimpleTriggerContext(context.getClock());
            later.update(last, last, last.plusSeconds(seconds));
            next = trigger.nextExecution(later);
        }
        return next;
    }

    private void report(Throwable failure) {
        try {
            logger.warn("The trigger " + NamedTask.of(trigger) + " failed, so there are no more runs of " + taskName());
            errorHandler.handleError(failure);
        } catch (OutOfMemoryError ex) {
            // The future says it all the same.
        }
    }

    @Override
    public Runnable wrapped() {
        return task;
    }

    private WheelTimer<?> timer() {
        WheelTimer<?> timer = current;
        if (timer == null) {
            throw new IllegalStateException("A series must be started before it is used: " + this);
        }
        return timer;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean won = false;
        WheelTimer<?> timer;
        do {
            timer = timer();
            won |= timer.cancel(mayInterruptIfRunning);
            if (won) {
                cancelled = true;
            }
        } while (timer != current);
        return won;
    }

    @Override
    public boolean isCancelled() {
        return cancelled || timer().isCancelled();
    }

    @Override
    public boolean isDone() {
        WheelTimer<?> timer;
        boolean done;
        do {
            timer = timer();
            done = timer.isDone();
            // A timer that is done has a successor by now, if there is to be one.
        } while (done && timer != current);
        return cancelled || done;
    }

    @Override
    public @Nullable Object get() throws InterruptedException, ExecutionException {
        return timer().get();
    }

    @Override
    public @Nullable Object get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return timer().get(timeout, unit);
    }

    @Override
    public long getDelay(TimeUnit unit) {
        return timer().getDelay(unit);
    }

    @Override
    public int compareTo(Delayed other) {
        return other == this ? 0 : Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }

    @Override
    public boolean isSteered() {
        return task instanceof ManagedTask managed && managed.isSteered();
    }

    @Override
    public @Nullable Instant nextInstant() {
        return due;
    }

    @Override
    public String taskName() {
        return NamedTask.of(task);
    }

    @Override
    public String toString() {
        return taskName();
    }
}
