package io.github.wheelscheduler.internal.engine;

/**
 * Decides when the tick thread may next wake up unasked: for each deadline while there are few, and for several at a
 * time while there are many.
 *
 * <p>A leaky bucket: each wake-up fills it by one interval, and it empties with time. While it has room for another, a
 * wake-up takes place when it is wanted; a thread that keeps it full wakes once an interval. Tick thread only.
 */
final class WakeUpBudget {

    private final long intervalNanos;
    private final long capacityNanos;

    /** When the bucket will be empty. */
    private long emptyAtNanos;

    /**
     * Creates an empty bucket.
     *
     * @param intervalNanos the least time between two wake-ups in the long run
     * @param burst the maximum number of wake-ups that follow each other at any distance
     */
    WakeUpBudget(long intervalNanos, int burst, long nowNanos) {
        this.intervalNanos = intervalNanos;
        this.capacityNanos = burst * intervalNanos;
        this.emptyAtNanos = nowNanos;
    }

    /** Returns when to wake up if {@code wantedNanos} is when there is something to do; never earlier. */
    long wakeUpAt(long wantedNanos) {
        long roomAtNanos = emptyAtNanos - capacityNanos;
        return roomAtNanos - wantedNanos > 0 ? roomAtNanos : wantedNanos;
    }

    /**
     * Counts a wake-up at this moment. A full bucket stays full, so the next wake-up is delayed by one interval at
     * most.
     */
    void wokeUp(long nowNanos) {
        long filledNanos = emptyAtNanos - nowNanos;
        emptyAtNanos = nowNanos + Math.min(Math.max(0, filledNanos), capacityNanos) + intervalNanos;
    }
}
