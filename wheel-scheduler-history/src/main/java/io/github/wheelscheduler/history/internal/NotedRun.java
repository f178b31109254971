package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.history.HistoryCause;
import io.github.wheelscheduler.history.HistoryOutcome;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row that waits to be written.
 *
 * @param micros the duration of the run; -1 if there was none
 * @param type the class of its exception; null if it did not fail
 * @param thrown its exception, whose frames are read when it is written; null if it did not fail, or traces are not
 *     kept, or its text is there
 * @param text the text of its exception, if that has been read early
 * @param hasRow whether its row is there, and only the text of its failure is to be written
 */
record NotedRun(
        String scheduler,
        String task,
        @Nullable String instance,
        Instant at,
        @Nullable Instant due,
        @Nullable Instant started,
        long micros,
        HistoryOutcome outcome,
        long runs,
        int attempt,
        HistoryCause cause,
        @Nullable String by,
        @Nullable String detail,
        @Nullable String traceId,
        @Nullable String type,
        String message,
        @Nullable Throwable thrown,
        @Nullable FailureText text,
        boolean hasRow) {

    /** No run. */
    static final long NO_RUN = -1;

    private static final long NANOS_PER_MICRO = 1_000;
    private static final long MICROS_PER_SECOND = 1_000_000;

    static long micros(Instant instant) {
        return Math.addExact(
                Math.multiplyExact(instant.getEpochSecond(), MICROS_PER_SECOND), instant.getNano() / NANOS_PER_MICRO);
    }

    /** Returns a duration in microseconds; {@link #NO_RUN} if there was no run. */
    static long micros(@Nullable Duration length) {
        return length == null ? NO_RUN : length.toNanos() / NANOS_PER_MICRO;
    }

    /** Returns the same, whose row is there. */
    NotedRun withRow() {
        return new NotedRun(
                scheduler, task, instance, at, due, started, micros, outcome, runs, attempt, cause, by, detail, traceId,
                type, message, thrown, text, true);
    }

    /** Returns the same with the text of its exception, and without the exception. */
    NotedRun with(@Nullable FailureText read) {
        return new NotedRun(
                scheduler, task, instance, at, due, started, micros, outcome, runs, attempt, cause, by, detail, traceId,
                type, message, null, read, hasRow);
    }

    /** Returns the text of its exception; null without one, or if it does not tell it. */
    @Nullable
    FailureText textOfFailure() {
        return thrown == null ? text : FailureText.of(thrown);
    }

    /** Returns the same, triggered by a user. */
    NotedRun by(String who) {
        return new NotedRun(
                scheduler, task, instance, at, due, started, micros, outcome, runs, attempt, cause, who, detail,
                traceId, type, message, thrown, text, hasRow);
    }

    /** Returns the end, in microseconds since the epoch. */
    long atMicros() {
        return micros(at);
    }

    /** Returns the run in totals. */
    RunTotals totals() {
        return RunTotals.of(task, outcome, runs, micros, atMicros());
    }
}
