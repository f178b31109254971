package io.github.wheelscheduler.spring.run;

import io.github.wheelscheduler.internal.StackText;
import io.github.wheelscheduler.internal.spring.run.EpochNanos;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a run.
 *
 * @param startedAt the time of its start, by the scheduler's clock
 * @param duration the duration of the run
 * @param lateness the lateness of its start: zero for a triggered run
 * @param triggered whether it was triggered outside of its schedule
 * @param failure its exception; null if it succeeded
 */
public record RunOutcome(
        Instant startedAt,
        Duration duration,
        Duration lateness,
        boolean triggered,
        @Nullable Failure failure) {

    /** Longer messages are cut, so that the last outcomes of many tasks fit into memory. */
    private static final int LONGEST_MESSAGE = 500;

    /**
     * Creates one from the history of a run.
     *
     * @param startedAt since the epoch, in nanoseconds
     */
    public static RunOutcome of(
            long startedAt, long nanos, long latenessNanos, boolean triggered, @Nullable Failure failure) {
        return new RunOutcome(
                EpochNanos.toInstant(startedAt),
                Duration.ofNanos(nanos),
                Duration.ofNanos(latenessNanos),
                triggered,
                failure);
    }

    public boolean isSuccess() {
        return failure == null;
    }

    /**
     * A failure of which the stack trace is kept: in up to 16 K characters, for the thousand tasks of a scheduler that
     * were the last to fail without having one.
     *
     * @param at the time when it was thrown, by the scheduler's clock
     * @param type the name of its class
     * @param message its message, cut if it is very long; empty if it has none
     * @param trace the stack trace as Java prints it, with its causes; truncated if it is very long; empty if it is no
     *     longer kept
     * @param traceId of the run, where something {@linkplain
     *     io.github.wheelscheduler.spring.WheelTaskScheduler#setTraceIds tells} it; else null
     */
    public record LastError(
            Instant at,
            String type,
            String message,
            String trace,
            @Nullable String traceId) {}

    /**
     * The exception of a run.
     *
     * @param type the name of its class
     * @param message its message, cut if it is very long; empty if it has none
     * @param traceId of the run, as {@link LastError} has it; null also for failures of a task that
     *     follow one within a tenth of a second
     */
    public record Failure(
            String type, String message, @Nullable String traceId) {

        /** In place of the exception, if there was too little memory to describe it. */
        private static final Failure UNKNOWN = new Failure(Throwable.class.getName(), "", null);

        /** Describes an exception, as far as memory allows. */
        public static Failure of(Throwable thrown, @Nullable String traceId) {
            try {
                return described(thrown, traceId);
            } catch (OutOfMemoryError ex) {
                return UNKNOWN;
            }
        }

        private static Failure described(Throwable thrown, @Nullable String traceId) {
            String message;
            try {
                message = Objects.requireNonNullElse(thrown.getMessage(), "");
            } catch (Throwable ex) {
                message = "";
            }
            return new Failure(
                    thrown.getClass().getName(),
                    StackText.start(message, LONGEST_MESSAGE) + (message.length() > LONGEST_MESSAGE ? "…" : ""),
                    traceId);
        }
    }
}
