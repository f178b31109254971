package io.github.wheelscheduler.internal;

/**
 * A count that many threads change at once. Unlike a {@link java.util.concurrent.atomic.LongAdder} it never allocates,
 * so it cannot fail in the middle of a move for lack of memory.
 */
public final class StripedCount {

    private final PaddedLong[] cells = new PaddedLong[CallerStripe.COUNT];

    /** Creates a count of 0. */
    public StripedCount() {
        for (int stripe = 0; stripe < cells.length; stripe++) {
            cells[stripe] = new PaddedLong();
        }
    }

    /** Adds one. Any thread. */
    public void increment() {
        add(1);
    }

    /** Adds a number, which may be negative. Any thread. */
    public void add(long number) {
        long ignored = cells[CallerStripe.index()].getAndAdd(number);
    }

    /** Returns the sum of the stripes. At rest it is exact. */
    public long sum() {
        long sum = 0;
        for (PaddedLong cell : cells) {
            sum += cell.get();
        }
        return sum;
    }
}
