package io.github.wheelscheduler.durable;

import java.time.Duration;
import java.util.Objects;

/**
 * How often a durable task is tried again, and when.
 *
 * @param maxRetries how often after the first failure, 0 or more
 * @param backOff the pause before the first retry, more than zero; it doubles with each
 * @param maxBackOff the longest pause, not less than the first, and a year at most
 */
public record RetryPolicy(int maxRetries, Duration backOff, Duration maxBackOff) {

    /** Ten retries, after a second, two, four, and so on. */
    public static final RetryPolicy DEFAULT = new RetryPolicy(10, Duration.ofSeconds(1), Duration.ofHours(1));

    private static final int LONGEST_DAYS = 366;

    /** @throws IllegalArgumentException if a value does not fit */
    public RetryPolicy {
        Objects.requireNonNull(backOff, "backOff must not be null");
        Objects.requireNonNull(maxBackOff, "maxBackOff must not be null");
        if (maxRetries < 0) {
            throw new IllegalArgumentException("maxRetries must be at least 0, was " + maxRetries);
        }
        if (backOff.isNegative() || backOff.isZero()) {
            throw new IllegalArgumentException("backOff must be more than zero, was " + backOff);
        }
        if (maxBackOff.toDays() > LONGEST_DAYS) {
            throw new IllegalArgumentException("maxBackOff must be at most a year, was " + maxBackOff);
        }
        if (maxBackOff.compareTo(backOff) < 0) {
            throw new IllegalArgumentException(
                    "maxBackOff must be at least backOff, which is " + backOff + ", was " + maxBackOff);
        }
    }
}
