package io.github.wheelscheduler.durable;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A durable task as the database has it. Its payload is not part of that, as it may be secret.
 *
 * @param handler the handler that runs it
 * @param id its id within its handler
 * @param dueAt the time at which it is to run, by the database's clock
 * @param state its state
 * @param owner the node that has claimed it; null if none has
 * @param failures the number of consecutive failed runs
 * @param lastFailureAt the time of the last failed run; null if none has failed
 * @param failure the reason why it has failed permanently or cannot be read; else null
 */
public record DurableTask(
        String handler,
        String id,
        Instant dueAt,
        State state,
        @Nullable String owner,
        int failures,
        @Nullable Instant lastFailureAt,
        @Nullable String failure) {

    /** The state of a task that has not run to its end. */
    public enum State {
        /** It is not due, or nobody has claimed it so far; it can be cancelled and rescheduled. */
        SCHEDULED,
        /** A node has it: it waits there for its time, or runs. */
        CLAIMED,
        /** It has failed more often than it is retried, and is kept until it is retried or cancelled. */
        FAILED,
        /**
         * No node could read its payload so far; it is tried again now and then, as a newer node may. It can be retried
         * and cancelled.
         */
        UNREADABLE
    }
}
