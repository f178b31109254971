package io.github.wheelscheduler.internal.engine;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * One run of a series that names the instants of its runs on the wall clock. Its deadline on the monotonic clock is an
 * estimate, which {@link WallClockWatch} keeps true.
 */
public final class InstantTimer extends RepeatingTimer {

    final Instant instant;

    /** Whether the instant had come when this timer was made. */
    public final boolean isDueAtOnce;

    /** The place in the watch, or -1. Tick thread only. */
    int watchIndex = -1;

    /** The wall clock failed when the deadline was to be computed. Tick thread only, once armed. */
    boolean hasGuessedDeadline;

    InstantTimer(TimerOwner owner, Runnable task, Instant instant, long deadlineNanos, boolean isDueAtOnce) {
        super(owner, task, deadlineNanos);
        this.instant = instant;
        this.isDueAtOnce = isDueAtOnce;
    }

    /** Does nothing: the calendar says when. */
    @Override
    public boolean reschedule(long delay, TimeUnit unit) {
        return false;
    }
}
