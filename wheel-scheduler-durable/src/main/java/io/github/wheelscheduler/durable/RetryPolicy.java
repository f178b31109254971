package io.github.wheelscheduler.durable;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/**
 * The retries of a durable task: their number, their pauses and their exceptions. An exception is retried unless its
 * nearest superclass among {@code retryFor} and {@code noRetryFor} is in {@code noRetryFor}; a class in both is
 * retried. If {@code retryFor} is not empty, exceptions that are instances of none of its classes are not retried
 * either. Causes do not count. A time limit, a failed commit and a lost connection are always retried.
 *
 * @param maxRetries the maximum number of retries after the first failure, 0 or more
 * @param backOff the pause before the first retry, more than zero; it doubles with each
 * @param maxBackOff the longest pause, not less than the first, and a year at most
 * @param retryFor the exceptions that are retried; empty for all
 * @param noRetryFor the exceptions that are not retried
 */
public record RetryPolicy(
        int maxRetries,
        Duration backOff,
        Duration maxBackOff,
        Set<Class<? extends Throwable>> retryFor,
        Set<Class<? extends Throwable>> noRetryFor) {

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
        retryFor = Set.copyOf(retryFor);
        noRetryFor = Set.copyOf(noRetryFor);
    }

    /**
     * Makes one by which each failure is tried again.
     *
     * @throws IllegalArgumentException if a value does not fit
     */
    public RetryPolicy(int maxRetries, Duration backOff, Duration maxBackOff) {
        this(maxRetries, backOff, maxBackOff, Set.of(), Set.of());
    }

    /** Whether what a run has thrown is tried again while retries are left. */
    public boolean retries(Throwable thrown) {
        for (Class<?> type = thrown.getClass(); type != null; type = type.getSuperclass()) {
            if (retryFor.contains(type)) {
                return true;
            }
            if (noRetryFor.contains(type)) {
                return false;
            }
        }
        return retryFor.isEmpty();
    }
}
