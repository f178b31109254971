package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.TimeSource;

/**
 * The pass of the tick thread that is active, or the last one: its time, and whether it has done anything. Tick thread
 * only.
 */
final class TickPass {

    /** No pass takes that long, unless the whole process stands still. */
    private static final long LONGEST_PASS_NANOS = 60_000_000_000L;

    private final TimeSource clock;

    private long nowNanos;

    private boolean productive;

    TickPass(TimeSource clock) {
        this.clock = clock;
        this.nowNanos = clock.nanoTime();
    }

    /** Begins a pass, and returns whether no time has gone by since the last one. */
    boolean begin(long newNowNanos) {
        boolean timeStandsStill = nowNanos == newNowNanos;
        nowNanos = newNowNanos;
        productive = false;
        return timeStandsStill;
    }

    long nowNanos() {
        return nowNanos;
    }

    /** Goes on with the time that it is now. */
    void lookAtClock() {
        nowNanos = clock.nanoTime();
    }

    /** Whether the deadline has come. */
    boolean isDue(long deadlineNanos) {
        return deadlineNanos - nowNanos <= 0;
    }

    /** The same for a timer that may have come since the pass began: looks at the clock again for it. */
    boolean isDueByNow(long deadlineNanos) {
        if (deadlineNanos - nowNanos > 0 && deadlineNanos - nowNanos < LONGEST_PASS_NANOS) {
            lookAtClock();
        }
        return isDue(deadlineNanos);
    }

    /** The pass has done something. */
    void moved() {
        productive = true;
    }

    /** The pass may have done something. */
    void moved(boolean anything) {
        productive |= anything;
    }

    /**
     * Whether the last pass has moved anything. A pass that moved nothing and wants another at once is an idle pass.
     */
    boolean wasProductive() {
        return productive;
    }
}
