package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.StackReserve;
import java.time.Instant;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The future of a registered task, whatever timer it has: timers are replaced when the task is re-timed, and between two of them
 * a one-time task may be held. Any thread; timers are replaced and tasks are held by one thread at a time.
 */
final class TaskFuture implements ScheduledFuture<@Nullable Object> {

    private final RegisteredTask task;

    private volatile @Nullable ScheduledFuture<?> timer;
    private volatile boolean cancelled;

    /** The timer is for one run of a task that repeats by its code: when it is done, the task may be given another. */
    private volatile boolean outlivesTimer;

    /** Set while a one-time task is due and must not run yet; opens when that ends. */
    private volatile @Nullable Hold held;

    /** For one run that is held. */
    static final class Hold {

        private final CountDownLatch end = new CountDownLatch(1);

        /** Of the timer whose run it is. Written before it is shown. */
        private int generation;
    }

    TaskFuture(RegisteredTask task) {
        this.task = task;
    }

    // Timers and holding

    boolean hasTimer() {
        return timer != null;
    }

    ScheduledFuture<?> timer() {
        ScheduledFuture<?> seen = timer;
        if (seen == null) {
            throw new IllegalStateException("A task must have a timer before it is used: " + task.id());
        }
        return seen;
    }

    /** Follows that timer from now on, and cancels the one before; a task that is cancelled stays so. */
    void setTimer(ScheduledFuture<?> next) {
        ScheduledFuture<?> before = timer;
        timer = next;
        if (before != null) {
            boolean ignored = before.cancel(false);
        }
        if (cancelled) {
            boolean ignored = next.cancel(false);
        }
    }

    boolean outlivesTimer() {
        return outlivesTimer;
    }

    /** Says, before a timer is set or after one of another kind has been, whether there may be another when it is done. */
    void setOutlivesTimer(boolean outlivesTimer) {
        this.outlivesTimer = outlivesTimer;
    }

    /** Claims the cancel of a task that is at rest: its timer is done, and it is not. */
    private synchronized boolean cancelAtRest(@Nullable ScheduledFuture<?> seen) {
        if (seen == null || !outlivesTimer || cancelled || !seen.isDone() || seen.isCancelled()) {
            return false;
        }
        cancelled = true;
        return true;
    }

    /** Returns the instant of the next run, where a calendar names it; else null. */
    @Nullable
    Instant nextInstant() {
        return timer instanceof CalendarTimer calendar ? calendar.nextInstant() : null;
    }

    boolean isHeld() {
        return held != null;
    }

    boolean isHeldFor(int generation) {
        Hold current = held;
        return current != null && current.generation == generation;
    }

    /** Holds the run of a timer of that generation, instead of one before. */
    void hold(Hold next, int generation) {
        Hold before = held;
        next.generation = generation;
        held = next;
        open(before);
    }

    /** Ends the holding of runs of earlier generations. */
    void releaseBefore(int generation) {
        Hold current = held;
        if (current != null && current.generation < generation) {
            held = null;
            open(current);
        }
    }

    private static void open(@Nullable Hold hold) {
        if (hold != null) {
            hold.end.countDown();
        }
    }

    /** Cancels the task if it is held, as nobody will resume it any more. */
    boolean giveUpIfHeld() {
        boolean isHeld = held != null && !cancelled;
        if (isHeld) {
            cancelled = true;
            open(held);
        }
        return isHeld;
    }

    // The future

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        StackReserve.askForMore();
        boolean won = false;
        ScheduledFuture<?> seen;
        do {
            seen = timer;
            won |= seen != null && seen.cancel(mayInterruptIfRunning);
            won |= held != null || cancelAtRest(seen);
            if (won) {
                // Before the timer is read again: whoever replaces it looks here afterwards.
                cancelled = true;
            }
        } while (seen != timer);
        if (won) {
            open(held);
            task.cancelled(mayInterruptIfRunning);
        }
        return won;
    }

    /** Whether a cancel has won, also if the timer does not say so. */
    boolean hasBeenCancelled() {
        return cancelled;
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
    boolean isGone() {
        return isOver(false);
    }

    private boolean isOver(boolean atRest) {
        if (cancelled) {
            return true;
        }
        ScheduledFuture<?> seen;
        boolean done;
        do {
            seen = timer;
            // In this order: a run that is held is so before its timer is done, and until there is another timer.
            done = seen != null && seen.isDone() && held == null && (atRest || !outlivesTimer || seen.isCancelled());
        } while (seen != timer);
        return done;
    }

    @Override
    public @Nullable Object get() throws InterruptedException, ExecutionException {
        while (true) {
            ScheduledFuture<?> seen = timer();
            try {
                Object result = seen.get();
                Hold hold = held;
                if (hold == null && seen == timer) {
                    return result;
                }
                if (hold != null) {
                    hold.end.await();
                }
            } catch (CancellationException ex) {
                throwUnlessReplaced(seen, ex);
            }
            throwIfCancelled();
        }
    }

    @Override
    public @Nullable Object get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        long endNanos = task.nanoTime() + unit.toNanos(timeout);
        while (true) {
            ScheduledFuture<?> seen = timer();
            try {
                Object result = seen.get(Math.max(0, endNanos - task.nanoTime()), TimeUnit.NANOSECONDS);
                Hold hold = held;
                if (hold == null && seen == timer) {
                    return result;
                }
                if (hold != null && !hold.end.await(endNanos - task.nanoTime(), TimeUnit.NANOSECONDS)) {
                    throw new TimeoutException("The task is held: " + task.id());
                }
            } catch (CancellationException ex) {
                throwUnlessReplaced(seen, ex);
            }
            throwIfCancelled();
        }
    }

    /** A timer is replaced before it is cancelled. */
    private void throwUnlessReplaced(ScheduledFuture<?> seen, CancellationException ex) {
        if (seen == timer) {
            throw ex;
        }
    }

    private void throwIfCancelled() {
        if (cancelled) {
            throw new CancellationException("The task was cancelled: " + task.id());
        }
    }

    @Override
    public long getDelay(TimeUnit unit) {
        return timer().getDelay(unit);
    }

    @Override
    public int compareTo(Delayed other) {
        return other == this ? 0 : Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
}
