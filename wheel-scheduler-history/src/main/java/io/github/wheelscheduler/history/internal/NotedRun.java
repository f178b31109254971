package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.history.HistoryCause;
import io.github.wheelscheduler.history.HistoryOutcome;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row that waits to be written.
 *
 * @param micros the duration of the run; -1 if there was none
 * @param type the class of its exception; null if it did not fail
 * @param thrown its exception, whose frames are read when it is written; null if it did not fail, or traces are not
 *     kept
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
        @Nullable Throwable thrown) {

    /** No run. */
    static final long NO_RUN = -1;

    /** The number of runs for which a row is to be written. */
    private static final long WRITTEN = Long.MIN_VALUE;

    /** Returns the same, whose row is there. */
    NotedRun withRow() {
        return new NotedRun(
                scheduler, task, instance, at, due, started, micros, outcome, WRITTEN, attempt, cause, by, detail,
                traceId, type, message, thrown);
    }

    /** Whether its row is there, and only the text of its failure is to be written. */
    boolean hasRow() {
        return runs == WRITTEN;
    }

    /** Returns the same, triggered by a user. */
    NotedRun by(String who) {
        return new NotedRun(
                scheduler, task, instance, at, due, started, micros, outcome, runs, attempt, cause, who, detail,
                traceId, type, message, thrown);
    }
}
