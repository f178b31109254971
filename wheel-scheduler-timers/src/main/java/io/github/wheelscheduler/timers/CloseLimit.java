package io.github.wheelscheduler.timers;

import java.time.Duration;
import java.util.Objects;

/** Checks how long a close waits for handlers before it interrupts them. */
public final class CloseLimit {

    /** The limit where none is set. */
    public static final long DEFAULT_NANOS = 10_000_000_000L;

    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private CloseLimit() {}

    /**
     * Returns the limit in nanoseconds.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public static long check(Duration limit) {
        Objects.requireNonNull(limit, "closeLimit must not be null");
        if (limit.isNegative()) {
            throw new IllegalArgumentException("closeLimit must not be negative, was " + limit);
        }
        return limit.compareTo(LONGEST) > 0 ? Long.MAX_VALUE : limit.toNanos();
    }
}
