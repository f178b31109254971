package io.github.wheelscheduler.internal.spring.run;

import java.time.Instant;

/** Instants as nanoseconds since the epoch, which take no memory of their own. */
public final class EpochNanos {

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /** The instants that are so many nanoseconds from the epoch end in the year 2262; clocks for tests may be beyond. */
    private static final long LAST_SECOND = Long.MAX_VALUE / NANOS_PER_SECOND - 1;

    private EpochNanos() {}

    /** Returns the nanoseconds from the epoch to the instant; of one too far away, those to the farthest. */
    public static long of(Instant instant) {
        long seconds = Math.max(-LAST_SECOND, Math.min(LAST_SECOND, instant.getEpochSecond()));
        return seconds * NANOS_PER_SECOND + instant.getNano();
    }

    /** Returns the instant that is so many nanoseconds after the epoch. */
    public static Instant toInstant(long epochNanos) {
        return Instant.ofEpochSecond(0, epochNanos);
    }
}
