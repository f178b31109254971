package io.github.wheelscheduler.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Failures of a task that have the same classes and frames.
 *
 * @param task the id of the task, or a handler
 * @param kind the hash of classes and frames
 * @param type the name of the exception's class
 * @param rows the number of rows that have it; runs that are over the budget have none
 * @param first the time at which it was written first
 * @param last the time at which it was written last
 * @param trace the stack trace without messages; null if it is not kept, or a kill has left the row without it
 */
public record FailureKind(
        String task,
        String kind,
        String type,
        long rows,
        Instant first,
        Instant last,
        @Nullable String trace) {}
