package io.github.wheelscheduler.timers;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** Checks durations that a user sets. */
public final class DurationRules {

    /** The default time that a close waits for calls of the user's code before it interrupts them. */
    public static final long DEFAULT_CLOSE_LIMIT_NANOS = 10_000_000_000L;

    private DurationRules() {}

    /**
     * Returns the value in nanoseconds, at most {@code Long.MAX_VALUE}.
     *
     * @param name the name of the value
     * @throws IllegalArgumentException if the value is negative
     */
    public static long notNegativeNanos(String name, Duration value) {
        Objects.requireNonNull(value, name + " must not be null");
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative, was " + value);
        }
        return TimeUnit.NANOSECONDS.convert(value);
    }
}
