package io.github.wheelscheduler.spring;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a run went.
 *
 * @param startedAt when it started, by the scheduler's clock
 * @param duration how long it took
 * @param lateness how late it started: zero for a run that somebody asked for at that moment
 * @param triggered whether somebody asked for it, outside of the schedule
 * @param failure what it threw; null if it succeeded
 */
public record RunOutcome(
        Instant startedAt,
        Duration duration,
        Duration lateness,
        boolean triggered,
        @Nullable Failure failure) {

    /** Longer messages are cut, so that the last outcomes of many tasks fit into memory. */
    private static final int LONGEST_MESSAGE = 500;

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /** The instants that are so many nanoseconds from the epoch end in the year 2262; clocks for tests may be beyond. */
    private static final long LAST_SECOND = Long.MAX_VALUE / NANOS_PER_SECOND - 1;

    /**
     * Makes one of what is remembered of a run.
     *
     * @param startedAt since the epoch, in nanoseconds
     */
    static RunOutcome of(long startedAt, long nanos, long latenessNanos, boolean triggered, @Nullable Failure failure) {
        return new RunOutcome(
                instant(startedAt), Duration.ofNanos(nanos), Duration.ofNanos(latenessNanos), triggered, failure);
    }

    /** Returns the nanoseconds since the epoch; of an instant too far away, the farthest. */
    static long epochNanos(Instant instant) {
        long seconds = Math.max(-LAST_SECOND, Math.min(LAST_SECOND, instant.getEpochSecond()));
        return seconds * NANOS_PER_SECOND + instant.getNano();
    }

    /** Returns the instant that is so many nanoseconds after the epoch. */
    static Instant instant(long epochNanos) {
        return Instant.ofEpochSecond(0, epochNanos);
    }

    public boolean isSuccess() {
        return failure == null;
    }

    /**
     * What a run threw.
     *
     * @param type the name of its class
     * @param message its message, cut if it is very long; empty if it has none
     */
    public record Failure(String type, String message) {

        /** In place of what was thrown, if memory was too short to describe that. */
        static final Failure UNKNOWN = new Failure(Throwable.class.getName(), "");

        /** Describes what was thrown, as well as the memory that there is allows. */
        static Failure of(Throwable thrown) {
            try {
                return described(thrown);
            } catch (OutOfMemoryError ex) {
                return UNKNOWN;
            }
        }

        private static Failure described(Throwable thrown) {
            String message;
            try {
                message = thrown.getMessage();
            } catch (Throwable ex) {
                message = null;
            }
            if (message == null) {
                message = "";
            }
            return new Failure(
                    thrown.getClass().getName(),
                    message.length() > LONGEST_MESSAGE ? message.substring(0, LONGEST_MESSAGE) + "…" : message);
        }
    }
}
