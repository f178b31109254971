package io.github.wheelscheduler.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A summary of the history of a task, over restarts and all nodes.
 *
 * @param task the id of the task, or a handler
 * @param lastSuccess the time at which a run last ended well; null if none is known
 * @param lastFailure the time at which a run last failed; null if none is known
 * @param failingSince the time at which the first run failed since the last one that ended well; null if it does not
 *     fail
 * @param successes the number of runs that ended well in the time that is kept
 * @param failures the number of runs that failed in that time
 * @param notRun the number of runs that did not take place in that time
 */
public record TaskSummary(
        String task,
        @Nullable Instant lastSuccess,
        @Nullable Instant lastFailure,
        @Nullable Instant failingSince,
        long successes,
        long failures,
        long notRun) {}
