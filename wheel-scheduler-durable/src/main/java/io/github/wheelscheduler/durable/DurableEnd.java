package io.github.wheelscheduler.durable;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The end of a run or of a task, as the database has it. Immutable.
 *
 * @param kind the outcome of the task
 * @param handler its handler; {@code recurring:} for a method with {@link Durable}
 * @param id the id of the task within its handler
 * @param attempt the number of that attempt, from 1; of a task that had not run on, that of the attempt before; 0 if
 *     there was none, or if the task was cancelled while unclaimed
 * @param nextAt the time at which the task is due again, by the database's clock; null if it is not, if its schedule
 *     says so, or if an attempt that failed has scheduled its own id
 * @param reason the reason why the handler gave it up, or that it was given up because it killed nodes; else null
 * @param thrown the exception or error of the run; null if it did not end with one
 */
public record DurableEnd(
        Kind kind,
        String handler,
        String id,
        int attempt,
        @Nullable Instant nextAt,
        @Nullable String reason,
        @Nullable Throwable thrown) {

    /** Checks for nulls. */
    public DurableEnd {
        Objects.requireNonNull(kind, "kind must not be null");
        Objects.requireNonNull(handler, "handler must not be null");
        Objects.requireNonNull(id, "id must not be null");
    }

    /** The outcome of a task. */
    public enum Kind {
        /** Its run has ended well. If it has scheduled its own id, it is due again. */
        DONE,
        /** Its handler lets it run again; nothing has failed. */
        AGAIN,
        /** Its run has failed, and it runs again: after its pause, or, if it is a recurring one, at its next time. */
        RETRIED,
        /**
         * It has failed for good, and is kept; a recurring one that was made at run time runs again at its next time.
         */
        GIVEN_UP,
        /**
         * It was cancelled or, if it is a recurring one that was made at run time, ended, and is gone, perhaps after
         * its run.
         */
        CANCELLED,
        /** The node that had claimed it has died; another one may run it now. */
        TAKEN_OVER
    }
}
