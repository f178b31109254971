package io.github.wheelscheduler.internal.engine;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * One run of a series that names the instants of its runs on the wall clock. Its deadline on the monotonic clock is an
 * estimate, which {@link WallClockWatch} keeps true.
 */
public class InstantTimer extends RepeatingTimer {

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

    /**
     * The wall clock says whether the instant has passed. By the thread that gives it a deadline which follows from
     * that.
     */
    void notePassed(boolean value) {}

    /** Does nothing: the calendar decides when. */
    @Override
    public final boolean reschedule(long delay, TimeUnit unit) {
        return false;
    }
}
