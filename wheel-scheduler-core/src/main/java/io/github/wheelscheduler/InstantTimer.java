package io.github.wheelscheduler;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One run of a series that names the instants of its runs on the wall clock. Its deadline on the monotonic clock is an
 * estimate, which {@link WallClockWatch} keeps true.
 */
final class InstantTimer extends RunnableTimer {

    private final Instant instant;

    /** Whether this timer holds the series' permit; it goes to the next timer of the series or back, once. */
    private final AtomicBoolean permit = new AtomicBoolean(true);

    /** Whether the instant had come when this timer was made. */
    private final boolean isDueAtOnce;

    private int refusedAt;

    /** The place in the watch, or -1. Tick thread only. */
    int watchIndex = -1;

    /** The wall clock failed when the deadline was to be computed. Tick thread only, once armed. */
    boolean hasGuessedDeadline;

    InstantTimer(TimerOwner owner, Runnable task, Instant instant, long deadlineNanos, boolean isDueAtOnce) {
        super(owner, task, deadlineNanos);
        this.instant = instant;
        this.isDueAtOnce = isDueAtOnce;
    }

    boolean isDueAtOnce() {
        return isDueAtOnce;
    }

    Instant instant() {
        return instant;
    }

    @Override
    int refusedAt() {
        return refusedAt;
    }

    @Override
    void setRefusedAt(int mark) {
        refusedAt = mark;
    }

    @Override
    boolean takePermit() {
        return permit.getAndSet(false);
    }

    /** Gives this timer the permit again that it has passed on in vain. */
    void putPermitBack() {
        permit.set(true);
    }

    @Override
    public boolean isRepeating() {
        return true;
    }

    /** Does nothing: the calendar says when. */
    @Override
    public boolean reschedule(long delay, TimeUnit unit) {
        return false;
    }
}
