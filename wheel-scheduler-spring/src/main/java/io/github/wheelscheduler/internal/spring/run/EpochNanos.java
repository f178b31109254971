package io.github.wheelscheduler.internal.spring.run;

import java.time.Instant;

/** Instants as nanoseconds since the epoch, which take no memory of their own. */
public final class EpochNanos {

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /** Nanoseconds since the epoch overflow in the year 2262; clocks of tests may be beyond. */
    private static final long LAST_SECOND = Long.MAX_VALUE / NANOS_PER_SECOND - 1;

    private EpochNanos() {}

    /** Returns the nanoseconds from the epoch to the instant; of one too far away, those to the farthest. */
    public static long of(Instant instant) {
        long seconds = Math.max(-LAST_SECOND, Math.min(LAST_SECOND, instant.getEpochSecond()));
        return seconds * NANOS_PER_SECOND + instant.getNano();
    }

    /** Returns the instant of a number of nanoseconds since the epoch. */
    public static Instant toInstant(long epochNanos) {
        return Instant.ofEpochSecond(0, epochNanos);
    }
}
