package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.DurableTask;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A one-time task as the database has it, without its payload.
 *
 * @param next when it is due
 * @param owner the node that has claimed it; null if none has
 * @param failures how many runs have failed
 * @param lastFailure when the last of them did; null if none has
 * @param failure the first line of why a task has failed for good or cannot be read; else null
 */
public record DurableTaskDescriptor(
        String handler,
        String id,
        DurableTask.State state,
        Instant next,
        @Nullable String owner,
        int failures,
        @Nullable Instant lastFailure,
        @Nullable String failure)
        implements OperationResponseBody {

    static DurableTaskDescriptor of(DurableTask task) {
        return new DurableTaskDescriptor(
                task.handler(),
                task.id(),
                task.state(),
                task.dueAt(),
                task.owner(),
                task.failures(),
                task.lastFailureAt(),
                firstLine(task.failure()));
    }

    static @Nullable String firstLine(@Nullable String text) {
        return text == null ? null : text.lines().findFirst().orElse("");
    }
}
