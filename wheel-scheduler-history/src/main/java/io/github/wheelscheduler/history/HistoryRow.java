package io.github.wheelscheduler.history;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A run of a task, or runs that did not take place.
 *
 * @param id of the row, unique in its table
 * @param at the time at which it ended, or was not started, by the clock of the node, and never later than the
 *     database's
 * @param task the id of the task, or the handler of a durable one
 * @param instance the id of a one-time task of the handler; null for others
 * @param scheduler the name of its scheduler
 * @param node the name of its node
 * @param due its due time; null if nothing says that, as for a run that was triggered
 * @param started its start time; null if it did not start
 * @param length its duration, in microseconds; null if there was no run
 * @param outcome its outcome
 * @param runs the number of runs that it stands for: more than one for missed ones only
 * @param attempt 1 for the first attempt of a durable task, and for all other tasks
 * @param cause its cause
 * @param by the user who triggered it; null if it was not triggered, or if that is unknown
 * @param detail the reason why it did not run, such as {@code paused}; null for others
 * @param traceId of the run; null if there was none
 * @param failure its exception; null if it did not fail
 */
public record HistoryRow(
        long id,
        Instant at,
        String task,
        @Nullable String instance,
        String scheduler,
        String node,
        @Nullable Instant due,
        @Nullable Instant started,
        @Nullable Duration length,
        HistoryOutcome outcome,
        long runs,
        int attempt,
        HistoryCause cause,
        @Nullable String by,
        @Nullable String detail,
        @Nullable String traceId,
        @Nullable Failure failure) {

    /**
     * The exception of a run.
     *
     * @param type the name of its class, without what is generated in it
     * @param message the beginning of its message; empty if it has none, or messages are not kept
     * @param kind the hash by which {@link RunHistoryReader#trace} finds its stack trace; null if that is not kept
     */
    public record Failure(
            String type, String message, @Nullable String kind) {}
}
