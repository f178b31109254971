package io.github.wheelscheduler.internal.engine;

import java.time.Instant;

/** A run of a series on the wall clock that may be handed over later than it is due, see {@link StartTolerance}. */
final class TolerantInstantTimer extends InstantTimer {

    private final long toleranceNanos;

    /** The instant has passed by the wall clock, so it waits for nothing. Tick thread only, once armed. */
    private boolean hasPassed;

    private TolerantInstantTimer(
            TimerOwner owner, Runnable task, Instant instant, long deadlineNanos, long toleranceNanos) {
        super(owner, task, instant, deadlineNanos, false);
        this.toleranceNanos = toleranceNanos;
    }

    /**
     * Makes a timer whose instant is to come. The type that it returns keeps a verifier from loading this class where
     * no timer has a tolerance.
     *
     * @param toleranceNanos positive
     */
    static InstantTimer of(TimerOwner owner, Runnable task, Instant instant, long deadlineNanos, long toleranceNanos) {
        return new TolerantInstantTimer(owner, task, instant, deadlineNanos, toleranceNanos);
    }

    @Override
    void notePassed(boolean value) {
        hasPassed = value;
    }

    @Override
    long startOf(long dueNanos) {
        return hasPassed ? dueNanos : StartTolerance.startOf(dueNanos, toleranceNanos);
    }

    @Override
    long lateFromNanos() {
        return dueNanos() + toleranceNanos;
    }
}
