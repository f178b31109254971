package io.github.wheelscheduler.jdbc.internal;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The end of a durable run, or of a task that did not run, as a history notes it. Times are those of the database's
 * clock. Immutable.
 *
 * @param task the handler, or the id of a recurring task that nodes declare
 * @param instance the id of a task of the handler; null for a recurring task that nodes declare
 * @param attempt the number of that attempt, from 1; of a task that did not run, that of the attempt before, or 0
 * @param runs the number of runs that it stands for: more than one for missed ones only
 * @param at the time of the end
 * @param due the time at which the run was due; null if that is unknown
 * @param started the time at which the run started; null if it did not, or that is unknown
 * @param length the duration of the run; null if there was no run, or that is unknown
 * @param traceId of the run; null for none
 * @param reason the reason why it was given up, where nothing was thrown; else null
 * @param thrown the exception of the run; null if it has none
 */
public record EndNote(
        Kind kind,
        String task,
        @Nullable String instance,
        int attempt,
        long runs,
        Cause cause,
        Instant at,
        @Nullable Instant due,
        @Nullable Instant started,
        @Nullable Duration length,
        @Nullable String traceId,
        @Nullable String reason,
        @Nullable Throwable thrown) {

    /** The end of a run. */
    public enum Kind {
        /** The run ended well. */
        DONE,
        /** The run failed, and its task runs again. */
        FAILED,
        /** The task failed for good. */
        GIVEN_UP,
        /** The task was cancelled, perhaps while it ran. */
        CANCELLED,
        /** No node could read the task so far. */
        PUT_ASIDE,
        /** Runs were due too long ago, and were left out. */
        MISSED,
        /** The node that had claimed the task died. */
        TAKEN_OVER
    }

    /** The cause of a run. */
    public enum Cause {
        /** Its time. */
        SCHEDULE,
        /** Its time, which was missed before. */
        CAUGHT_UP,
        /** A failure before. */
        RETRY,
        /** A call that asked for it. */
        BY_HAND
    }
}
