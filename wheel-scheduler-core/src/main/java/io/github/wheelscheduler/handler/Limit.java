package io.github.wheelscheduler.handler;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** How many there may be at a time. Without a bound it costs nothing. Any thread. */
public final class Limit {

    private final long max;
    private final String what;

    /** Only where there is a bound. */
    private final @Nullable AtomicLong inUse;

    /**
     * @param max {@code Long.MAX_VALUE} for no bound
     * @param what what is counted, in the plural, for the text of a rejection
     * @throws IllegalArgumentException if the bound is less than 1
     */
    public Limit(long max, String what) {
        this.max = checkMax(max);
        this.what = what;
        this.inUse = max == Long.MAX_VALUE ? null : new AtomicLong();
    }

    /**
     * Returns the bound.
     *
     * @throws IllegalArgumentException if it is less than 1
     */
    public static long checkMax(long max) {
        if (max < 1) {
            throw new IllegalArgumentException("maxSize must be at least 1, was " + max);
        }
        return max;
    }

    /**
     * Takes a place.
     *
     * @throws RejectedExecutionException if all are taken, with the numbers
     */
    public void acquire() {
        if (inUse == null) {
            return;
        }
        long seen = inUse.get();
        while (seen < max) {
            if (inUse.compareAndSet(seen, seen + 1)) {
                return;
            }
            seen = inUse.get();
        }
        throw new RejectedExecutionException(
                "Rejected, because max-size is " + max + ", and " + seen + " " + what + " are pending");
    }

    /** Gives a place back. */
    public void release() {
        if (inUse != null) {
            inUse.decrementAndGet();
        }
    }
}
