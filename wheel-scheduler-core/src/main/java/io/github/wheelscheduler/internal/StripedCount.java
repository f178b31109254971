package io.github.wheelscheduler.internal;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A count that many threads change at once. Unlike a {@link java.util.concurrent.atomic.LongAdder} it never allocates, so it
 * cannot fail in the middle of a move for lack of memory.
 */
public final class StripedCount {

    /** So many longs lie between two stripes, so that they share no cache line, nor a pair of them. */
    private static final int SPACING_SHIFT = 4;

    private final AtomicLongArray cells = new AtomicLongArray((CallerStripe.COUNT + 1) << SPACING_SHIFT);

    /** Creates a count of 0. */
    public StripedCount() {}

    /** Adds one. Any thread. */
    public void increment() {
        add(1);
    }

    /** Adds a number, which may be negative. Any thread. */
    public void add(long number) {
        long ignored = cells.getAndAdd((CallerStripe.index() + 1) << SPACING_SHIFT, number);
    }

    /** Returns the sum of the stripes. At rest it is exact. */
    public long sum() {
        long sum = 0;
        for (int stripe = 1; stripe <= CallerStripe.COUNT; stripe++) {
            sum += cells.get(stripe << SPACING_SHIFT);
        }
        return sum;
    }
}
