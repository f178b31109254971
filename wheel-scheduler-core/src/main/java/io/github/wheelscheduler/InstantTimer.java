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

    /** The place in the watch, or -1. Tick thread only. */
    int watchIndex = -1;

    InstantTimer(TimerOwner owner, Runnable task, Instant instant, long deadlineNanos) {
        super(owner, task, deadlineNanos);
        this.instant = instant;
    }

    Instant instant() {
        return instant;
    }

    /** Takes the permit away from this timer; true for one caller. */
    boolean takePermit() {
        return permit.getAndSet(false);
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
