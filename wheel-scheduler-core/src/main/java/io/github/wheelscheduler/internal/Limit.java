package io.github.wheelscheduler.internal;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Limits how many there may be at a time. Without a bound it costs nothing. Any thread. */
public final class Limit {

    private final long max;

    /** Only where there is a bound. */
    private final @Nullable AtomicLong taken;

    /**
     * Creates a limit of which nothing is taken.
     *
     * @param max {@code Long.MAX_VALUE} for no bound
     * @throws IllegalArgumentException if it is less than 1
     */
    public Limit(long max) {
        this.max = checkMax(max);
        this.taken = max == Long.MAX_VALUE ? null : new AtomicLong();
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

    /** Takes a place; false if all are taken. */
    public boolean tryTake() {
        if (taken == null) {
            return true;
        }
        long seen = taken.get();
        while (seen < max) {
            if (taken.compareAndSet(seen, seen + 1)) {
                return true;
            }
            seen = taken.get();
        }
        return false;
    }

    /** Takes a place, whether there is one or not. */
    public void takeAnyway() {
        if (taken != null) {
            taken.incrementAndGet();
        }
    }

    /** Gives a place back. */
    public void giveBack() {
        if (taken != null) {
            taken.decrementAndGet();
        }
    }

    /** Returns the bound. */
    public long max() {
        return max;
    }

    /** Returns whether there is a bound. */
    public boolean isBounded() {
        return taken != null;
    }

    /** Returns how many are taken, 0 without a bound. */
    public long taken() {
        return taken == null ? 0 : taken.get();
    }
}
