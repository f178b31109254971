package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.internal.inbox.Inbox;
import io.github.wheelscheduler.internal.worker.Workers;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The slots of a group: one for each run that may be active, and one for each that may wait in the queue. A slot is
 * taken before a run is handed to the workers, and is free at the real end of that run. Any thread.
 */
final class GroupSlots {

    private static final long ONE_MORE = (1L << Integer.SIZE) + 1;

    private final Workers workers;
    private final int queueCapacity;
    private final boolean refuses;
    private final Inbox<?> inbox;
    private final Shortcut shortcut;

    /** The number of slots in use, in the lower half, and the number ever used. */
    private final AtomicLong taken = new AtomicLong();

    GroupSlots(Workers workers, ExecutorSettings settings, Inbox<?> inbox, Shortcut shortcut) {
        this.workers = workers;
        this.queueCapacity = settings.queueCapacity();
        this.refuses = settings.onFull() != OnFull.WAIT;
        this.inbox = inbox;
        this.shortcut = shortcut;
    }

    boolean tryTake() {
        long seen = taken.get();
        while ((int) seen < limit()) {
            if (taken.compareAndSet(seen, seen + ONE_MORE)) {
                return true;
            }
            seen = taken.get();
        }
        return false;
    }

    /** Takes a slot for the timer unless it has one; false if all are taken. */
    boolean tryTake(ScheduledTimer<?> timer) {
        if (!isTakenAtCall(timer) && !tryTake()) {
            return false;
        }
        if (refuses) {
            timer.setRefusedAt(0);
        }
        return true;
    }

    /** Whether the timer has had its slot since it was submitted. */
    boolean isTakenAtCall(ScheduledTimer<?> timer) {
        return refuses && timer.hasNoTime();
    }

    /** Frees a slot, and wakes the tick thread if timers wait for it. */
    void release() {
        taken.decrementAndGet();
        if (shortcut.isHeldUp() && hasRoom(true)) {
            inbox.wake();
        }
    }

    /**
     * Takes {@link #tryTake(ScheduledTimer)} back.
     *
     * @param isPending whether the timer is pending as before, and keeps the slot that it has had since the call
     */
    void release(ScheduledTimer<?> timer, boolean isPending) {
        if (!isPending || !isTakenAtCall(timer)) {
            release();
        }
    }

    /**
     * Frees the slot of the run that the calling worker is in, and that is about to tell its end, before it does: a
     * thread that hears of that may take it. The worker then does it no more. Without effect on other threads.
     */
    void releaseEarly() {
        if (workers.leaveEarly()) {
            release();
        }
    }

    /** Whether a slot is free; {@code forMany} asks for as many as are worth while. */
    boolean hasRoom(boolean forMany) {
        int free = limit() - taken();
        return free >= (forMany ? Math.max(1, queueCapacity / 2) : 1);
    }

    int taken() {
        return (int) taken.get();
    }

    /** The timer is about to be refused. By the thread that moves it. */
    void noteRefused(ScheduledTimer<?> timer) {
        timer.setRefusedAt(mark());
    }

    /**
     * Whether the last run of this series was rejected and another run has taken a slot since. Such a series waits for
     * the next slot, so that more frequent timers do not take them all.
     */
    boolean isOwedTo(ScheduledTimer<?> timer) {
        int refusedAt = timer.refusedAt();
        return refusedAt != 0 && refusedAt != mark();
    }

    /** Returns another number, which is not 0, whenever a slot has been taken since. */
    private int mark() {
        return (int) (taken.get() >>> Integer.SIZE) << 1 | 1;
    }

    int maxSize() {
        return workers.maxSize();
    }

    /** Returns how many slots there are; it may change. */
    private int limit() {
        return (int) Math.min(Integer.MAX_VALUE, (long) maxSize() + queueCapacity);
    }

    /** Says why there is no slot, in the numbers of that moment. */
    String text(int maxSizeThen, int takenThen) {
        return "max-size is " + maxSizeThen + ", queue-capacity is " + queueCapacity + ", and " + takenThen
                + " places are taken";
    }
}
