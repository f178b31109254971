package io.github.wheelscheduler.lease;

import io.github.wheelscheduler.WheelScheduledExecutor;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * When the acquisition of a lease began, on both clocks: read it before the store is called.
 *
 * @param nanos on the executor's monotonic clock, in nanoseconds, to be compared by difference
 * @param instant on its wall clock, which advances while the machine sleeps
 */
public record LeaseStart(long nanos, Instant instant) {

    /** By so much the two clocks may differ for other reasons than a machine that sleeps. */
    private static final long TOLERANCE_NANOS = 100_000_000;

    static LeaseStart now(WheelScheduledExecutor executor) {
        Instant instant = wallClock(executor);
        // The far future has not passed later on: then the monotonic clock alone counts.
        return new LeaseStart(executor.nanoTime(), instant == null ? Instant.MAX : instant);
    }

    /** Returns how long ago it was: by the monotonic clock, unless the wall clock has gone on without it. */
    long ageNanos(WheelScheduledExecutor executor) {
        long monotonic = executor.nanoTime() - nanos;
        long wall = wallAgeNanos(executor);
        return wall > monotonic + TOLERANCE_NANOS ? wall : monotonic;
    }

    /** Returns how long ago it was by the wall clock; the least number if that cannot be read, or memory is short. */
    private long wallAgeNanos(WheelScheduledExecutor executor) {
        try {
            Instant now = wallClock(executor);
            return now == null ? Long.MIN_VALUE : TimeUnit.NANOSECONDS.convert(Duration.between(instant, now));
        } catch (OutOfMemoryError ex) {
            return Long.MIN_VALUE;
        }
    }

    /** Returns the time on the wall clock, which may be the user's; null if it cannot be read. */
    private static @Nullable Instant wallClock(WheelScheduledExecutor executor) {
        try {
            return executor.wallClockInstant();
        } catch (Throwable ex) {
            return null;
        }
    }
}
