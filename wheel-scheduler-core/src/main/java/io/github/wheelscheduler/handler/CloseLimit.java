package io.github.wheelscheduler.handler;

import java.time.Duration;
import java.util.Objects;

/** How long whoever closes waits for handlers before he interrupts them. */
public final class CloseLimit {

    /** Ten seconds. */
    public static final long DEFAULT_NANOS = 10_000_000_000L;

    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private CloseLimit() {}

    /**
     * Returns it in nanoseconds.
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
