package io.github.wheelscheduler.spring.task;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The past of a task before this process, from a history of runs.
 *
 * @param lastSuccess when it last ended well; null if that is not known
 * @param lastFailure when a run of it last failed; null if that is not known
 */
public record TaskPast(
        @Nullable Instant lastSuccess, @Nullable Instant lastFailure) {

    /** Nothing is known. */
    public static final TaskPast NONE = new TaskPast(null, null);
}
