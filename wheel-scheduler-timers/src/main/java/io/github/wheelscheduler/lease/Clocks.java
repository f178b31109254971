package io.github.wheelscheduler.lease;

import io.github.wheelscheduler.WheelScheduledExecutor;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Says how old a lease is: by the monotonic clock, unless the wall clock has gone on without it, as while a machine sleeps. */
final class Clocks {

    /** By so much the two may differ for other reasons. */
    private static final long TOLERANCE_NANOS = 100_000_000;

    private final WheelScheduledExecutor executor;

    Clocks(WheelScheduledExecutor executor) {
        this.executor = executor;
    }

    LeaseStart now() {
        Instant wall = wall();
        // What lies in the future has not passed: then the monotonic clock alone counts.
        return new LeaseStart(executor.nanoTime(), wall == null ? Instant.MAX : wall);
    }

    long nanosSince(LeaseStart start) {
        long monotonic = executor.nanoTime() - start.nanos();
        Instant now = wall();
        long wall = now == null ? monotonic : nanosBetween(start.instant(), now);
        return wall - monotonic > TOLERANCE_NANOS ? wall : monotonic;
    }

    /** Returns the time on the wall clock, which may be the user's; null if it cannot be read. */
    private @Nullable Instant wall() {
        try {
            return executor.wallClockInstant();
        } catch (RuntimeException ex) {
            return null;
        }
    }

    private static long nanosBetween(Instant from, Instant to) {
        Duration between = Duration.between(from, to);
        return between.abs().toSeconds() > Integer.MAX_VALUE
                ? (between.isNegative() ? Long.MIN_VALUE / 4 : Long.MAX_VALUE / 4)
                : between.toNanos();
    }
}
