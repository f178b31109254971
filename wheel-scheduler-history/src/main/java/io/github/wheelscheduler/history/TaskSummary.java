package io.github.wheelscheduler.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the history knows about a task, over restarts and all nodes.
 *
 * @param task the id of the task, or a handler
 * @param lastSuccess when a run last ended well; null if none is known
 * @param lastFailure when a run last failed; null if none is known
 * @param failingSince when the first run failed since the last one that ended well; null if it does not fail
 * @param successes how many runs ended well in the time that is kept
 * @param failures how many failed
 * @param notRun how many did not take place
 */
public record TaskSummary(
        String task,
        @Nullable Instant lastSuccess,
        @Nullable Instant lastFailure,
        @Nullable Instant failingSince,
        long successes,
        long failures,
        long notRun) {}
