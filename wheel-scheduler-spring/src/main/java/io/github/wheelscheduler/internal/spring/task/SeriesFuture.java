package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.StackReserve;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Instant;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The future of a series: follows the timer that the series has now, and waits while the run of a one-time task is
 * held. Any thread; the lock is the guard's monitor.
 */
abstract class SeriesFuture implements RunnableScheduledFuture<@Nullable Object> {

    /** As the code and its settings say. */
    final TaskSchedule written;

    // Written with the lock held, and read without it, too.

    /** Null while it is as written: to write a volatile field in a constructor takes as long as some other objects. */
    private volatile @Nullable TaskSchedule other;

    /** Null before the first one has been armed. A cron replaces it for each run. */
    volatile @Nullable ScheduledFuture<?> timer;

    /** The task of that timer if a trigger decides when. */
    private volatile @Nullable CronRun cron;

    /** That of the timer, 0 for the first. Written last, so that runs of a new timer wait for all else. */
    private volatile int generation;

    /** Set while the run of a one-time task is due and must not take place yet. */
    private volatile @Nullable Hold held;

    /** A cancel has won, in any state of the timer. */
    volatile boolean cancelled;

    // Guarded by the lock.

    private int lastGeneration;

    /** Made when the task is paused, as a run that is to be held cannot do without. */
    private @Nullable Hold nextHold;

    /** The only run of a one-time task, which is due and must not take place yet. */
    static final class Hold {

        /** The condition that ends the hold. */
        enum Until {
            RESUMED,
            END_OF_RUN,
            OVER
        }

        private final CountDownLatch end = new CountDownLatch(1);

        /** Of the timer that was due. Written before this is shown. */
        int generation;

        /** Guarded by the series' lock. */
        private Until until = Until.RESUMED;
    }

    SeriesFuture(TaskSchedule written) {
        this.written = written;
    }

    /** Returns the boundary of the runs. */
    abstract GuardedTask guard();

    abstract String id();

    public final TaskSchedule schedule() {
        TaskSchedule current = other;
        return current == null ? written : current;
    }

    final boolean isRepeating() {
        return schedule().isRepeating();
    }

    // Timers

    /** Returns the instant of the next run, where a trigger names it; else null. */
    final @Nullable Instant nextInstant() {
        CronRun run = cron;
        return run == null ? null : run.due;
    }

    /** Whether a trigger names its runs, and an executor arms them that a subclass has put around the wheel's. */
    final boolean isTriggerAround() {
        CronRun run = cron;
        return run != null && run.wrapped != null;
    }

    final int generation() {
        return generation;
    }

    final int nextGeneration() {
        synchronized (guard()) {
            return ++lastGeneration;
        }
    }

    /** Ends the series, which has got no first timer. */
    final void giveUp() {
        cancelled = true;
        boolean ignored = cancel(false);
    }

    /** Follows its first timer, which has just been armed, unless it has been re-timed meanwhile. */
    final void begin(@Nullable CronRun run, ScheduledFuture<?> armed) {
        synchronized (guard()) {
            if (timer == null) {
                cron = run;
                timer = armed;
                return;
            }
        }
        boolean ignored = armed.cancel(false);
    }

    /**
     * Follows a timer that has just been armed, in place of the one before. With the lock held.
     *
     * @return the one before, to be {@linkplain #replaced cancelled} without the lock
     */
    final @Nullable ScheduledFuture<?> follow(
            int mine, TaskSchedule schedule, @Nullable CronRun run, ScheduledFuture<?> armed) {
        guard().retimed(schedule);
        ScheduledFuture<?> before = timer;
        // Before the schedule: a task that repeats by its code, whose only run is over, must not look as if it were
        // gone.
        timer = armed;
        cron = run;
        other = schedule;
        generation = mine;
        release();
        return before;
    }

    /** Cancels a timer that has been replaced, and the one that is there now if the series was cancelled meanwhile. */
    final void replaced(@Nullable ScheduledFuture<?> before) {
        if (before != null) {
            boolean ignored = before.cancel(false);
        }
        ScheduledFuture<?> current = timer;
        if (cancelled && current != null) {
            boolean ignored = current.cancel(false);
        }
    }

    /** Returns the timer if it is of that generation; null if it is not, or not yet. */
    final @Nullable ScheduledFuture<?> timerOf(int due) {
        synchronized (guard()) {
            return due == generation ? timer : null;
        }
    }

    /** Notes the timer of the next run of a cron; false if the series has been re-timed or cancelled meanwhile. */
    final boolean note(int mine, ScheduledFuture<?> next) {
        synchronized (guard()) {
            if (mine != generation) {
                return false;
            }
            timer = next;
        }
        return !cancelled;
    }

    /**
     * Whether runs of a timer of that generation take place. Waits for a change that is being made. Without the lock.
     */
    final boolean isCurrent(int due) {
        if (cancelled) {
            return false;
        }
        if (due == generation) {
            return true;
        }
        guard().book.timers.awaitFollowed(guard(), due);
        return isCurrentNow(due);
    }

    /** The same without the wait. */
    final boolean isCurrentNow(int due) {
        synchronized (guard()) {
            return !cancelled && due == generation;
        }
    }

    // Runs that are held

    final boolean isHeld() {
        return held != null;
    }

    final void prepareToHold() {
        if (nextHold == null) {
            nextHold = new Hold();
        }
    }

    /** Holds the only run, of the current generation. With the lock held. */
    final void hold(Hold.Until until) {
        Hold hold = held;
        if (hold == null) {
            hold = nextHold != null ? nextHold : new Hold();
            nextHold = null;
            hold.generation = generation;
            held = hold;
        }
        hold.until = until;
    }

    private void release() {
        Hold hold = held;
        if (hold != null) {
            held = null;
            hold.end.countDown();
        }
    }

    /** Whether the only run of the task is held until the task is resumed; an owed run follows by itself. */
    final boolean mustBeReleased() {
        Hold hold = held;
        return hold != null && hold.until == Hold.Until.RESUMED;
    }

    /** Takes the run that has been kept, if there is one and no other is active. */
    final @Nullable Hold takeOwed() {
        if (held == null || guard().isRunning()) {
            return null;
        }
        synchronized (guard()) {
            Hold hold = held;
            if (hold == null || hold.until != Hold.Until.END_OF_RUN) {
                return null;
            }
            hold.until = Hold.Until.OVER;
            return hold;
        }
    }

    /** A run that had been kept has taken place, or will not, unless it is held or kept again. */
    final void ranWhatWasOwed(Hold hold, boolean isOver) {
        synchronized (guard()) {
            if (isOver && held == hold) {
                release();
            }
        }
    }

    /** Cancels the task if it is held, as it will not be resumed any more. */
    final boolean giveUpIfHeld() {
        Hold hold = held;
        if (hold == null || cancelled) {
            return false;
        }
        cancelled = true;
        hold.end.countDown();
        return true;
    }

    // The future

    @Override
    public boolean isPeriodic() {
        return isRepeating();
    }

    /** Runs the task on the calling thread as its timer does: if it runs once, and no other thread runs it. */
    @Override
    public void run() {
        WheelTimer<?> pending = WrappedTimer.onWheel(timer);
        if (pending != null) {
            pending.run();
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        StackReserve.askForMore();
        boolean won = false;
        boolean isTimers = false;
        ScheduledFuture<?> seen;
        do {
            seen = timer;
            isTimers |= seen != null && seen.cancel(mayInterruptIfRunning);
            won |= isTimers || held != null || cancelAtRest(seen);
            if (won) {
                // Before the timer is read again: a thread that replaces it looks here afterwards.
                cancelled = true;
            }
        } while (seen != timer);
        boolean isOver = won || (seen != null && seen.isCancelled());
        if (isOver) {
            // Also if a shutdown has cancelled the timer.
            cancelled = true;
            Hold hold = held;
            if (hold != null) {
                hold.end.countDown();
            }
            guard().steered();
            guard().releaseIfCancelled();
            if (won && mayInterruptIfRunning) {
                // A timer interrupts its own run, but not one that was owed: by then it is done.
                guard().interruptUnlessOf(isTimers ? generation : SeriesRun.NONE);
            }
        }
        // Also if it was over: Spring cancels all tasks of a bean that goes, which are not to be seen any longer.
        if (isOver || isGone()) {
            try {
                guard().book.remove(guard().owner);
            } catch (OutOfMemoryError ex) {
                // It is over, and will be forgotten with others that are.
            }
        }
        return won;
    }

    /**
     * Whether the timer of that generation is the last one that the series can have, and its run the last one. With the
     * lock held.
     */
    final boolean endsWith(int mine, boolean endsSeries) {
        return mine == generation && held == null && !outlivesTimer() && (endsSeries || !isRepeating());
    }

    /** Claims the cancel of a task that is at rest: its timer is done, and it is not. */
    private boolean cancelAtRest(@Nullable ScheduledFuture<?> seen) {
        synchronized (guard()) {
            if (seen == null || !outlivesTimer() || cancelled || !seen.isDone() || seen.isCancelled()) {
                return false;
            }
            cancelled = true;
            return true;
        }
    }

    /**
     * Whether the timer is for one run of a task that repeats by its code: when it is done, the task may be given
     * another.
     */
    private boolean outlivesTimer() {
        return written.isRepeating() && !isRepeating();
    }

    @Override
    public boolean isCancelled() {
        ScheduledFuture<?> seen = timer;
        return cancelled || (seen != null && seen.isCancelled());
    }

    @Override
    public boolean isDone() {
        return isOver(true);
    }

    /** Whether the task is done, and cannot be given another timer. */
    final boolean isGone() {
        return isOver(false);
    }

    private boolean isOver(boolean atRest) {
        if (cancelled || (!atRest && guard().isReleased())) {
            return true;
        }
        ScheduledFuture<?> seen;
        boolean done;
        do {
            seen = timer;
            // In this order: a run that is held is so before its timer is done, and until there is another timer. That
            // of the next run of a
            // cron has been noted by then.
            done = seen != null && seen.isDone() && held == null && (atRest || !outlivesTimer() || seen.isCancelled());
        } while (seen != timer);
        return done;
    }

    @Override
    public @Nullable Object get() throws InterruptedException, ExecutionException {
        try {
            return get(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        } catch (TimeoutException ex) {
            throw new IllegalStateException("The wait for the result has lasted for 292 years", ex);
        }
    }

    @Override
    public @Nullable Object get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        long endNanos = guard().book.nanoTime() + Math.max(0, unit.toNanos(timeout));
        while (true) {
            // A cron has another timer after a run, but of the same generation.
            int seenGeneration = generation;
            ScheduledFuture<?> seen = requireTimer();
            try {
                Object result = seen.get(leftNanos(endNanos), TimeUnit.NANOSECONDS);
                Hold hold = held;
                if (hold == null && seenGeneration == generation) {
                    return result;
                }
                if (hold != null && !hold.end.await(leftNanos(endNanos), TimeUnit.NANOSECONDS)) {
                    throw new TimeoutException("The task " + id()
                            + " has not run within the timeout, as it is paused or a run has not ended: "
                            + "resume it, or wait longer");
                }
            } catch (CancellationException ex) {
                // A timer is replaced before it is cancelled.
                if (seen == timer) {
                    throw ex;
                }
            }
            if (cancelled) {
                throw new CancellationException("The task was cancelled: " + id());
            }
        }
    }

    private long leftNanos(long endNanos) {
        return Math.max(0, endNanos - guard().book.nanoTime());
    }

    private ScheduledFuture<?> requireTimer() {
        ScheduledFuture<?> seen = timer;
        if (seen == null) {
            throw new IllegalStateException("A task must have a timer before it is used: " + id());
        }
        return seen;
    }

    @Override
    public long getDelay(TimeUnit unit) {
        return requireTimer().getDelay(unit);
    }

    @Override
    public int compareTo(Delayed other) {
        return other == this ? 0 : Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }

    /**
     * Throws if the task is over; in one sense or the other, as one that repeats by its code can be given a schedule
     * after its only run.
     */
    final void require(boolean isNotOver) {
        if (!isNotOver) {
            throw new IllegalStateException("The task must not have ended: " + id());
        }
    }
}
