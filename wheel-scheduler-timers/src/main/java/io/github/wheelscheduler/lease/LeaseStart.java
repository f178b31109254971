package io.github.wheelscheduler.lease;

import io.github.wheelscheduler.WheelScheduledExecutor;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

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
        // The far future has not passed later on: then the monotonic clock alone counts.
        return new LeaseStart(executor.nanoTime(), wallClockOr(Instant.MAX, executor));
    }

    /** Returns how long ago it was: by the monotonic clock, unless the wall clock has gone on without it. */
    long ageNanos(WheelScheduledExecutor executor) {
        long monotonic = executor.nanoTime() - nanos;
        long wall = TimeUnit.NANOSECONDS.convert(Duration.between(instant, wallClockOr(instant, executor)));
        return wall > monotonic + TOLERANCE_NANOS ? wall : monotonic;
    }

    /** Returns the time on the wall clock, which may be the user's; another if it cannot be read. */
    private static Instant wallClockOr(Instant other, WheelScheduledExecutor executor) {
        try {
            return executor.wallClockInstant();
        } catch (RuntimeException ex) {
            return other;
        }
    }
}
