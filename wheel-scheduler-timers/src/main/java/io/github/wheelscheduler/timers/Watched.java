package io.github.wheelscheduler.timers;

import io.github.wheelscheduler.internal.StripedCount;
import java.time.Duration;

/**
 * Counts how often timers have been moved and, once that is asked for, how late they fire. Counting needs no memory.
 * Any thread.
 */
public final class Watched {

    private final StripedCount moves = new StripedCount();
    private final StripedCount lateNanos = new StripedCount();
    private volatile boolean isLatenessMeasured;

    /** Counts a move. */
    public void moved() {
        moves.increment();
    }

    public long moves() {
        return moves.sum();
    }

    /** Lets {@link #isLatenessMeasured} be true from now on. */
    public void measureLateness() {
        isLatenessMeasured = true;
    }

    /** Whether {@link #late} is to be called, for which a clock has to be read. */
    public boolean isLatenessMeasured() {
        return isLatenessMeasured;
    }

    /** Adds the lateness of a fired timer; an early one counts as on time. */
    public void late(long nanos) {
        lateNanos.add(Math.max(0, nanos));
    }

    /** Returns the sum of the reported values. */
    public Duration lateness() {
        return Duration.ofNanos(lateNanos.sum());
    }
}
