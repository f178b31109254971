package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.internal.Handler;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A one-time task as the database has it, without its payload; among claimed ones also a recurring task.
 *
 * @param handler the handler that runs it; empty for a method with {@code @Durable}
 * @param next its due time
 * @param owner the node that has claimed it; null if none has
 * @param failures the number of runs that have failed
 * @param lastFailure the time when the last of them failed; null if none has
 * @param failure the first line of the reason why a task has failed permanently or cannot be read; else null
 * @param running the time that its run has been active on this node; null if it does not run here, or that is not
 *     checked
 * @param recurring whether it is a recurring task
 */
public record DurableTaskDescriptor(
        String handler,
        String id,
        DurableTask.State state,
        Instant next,
        @Nullable String owner,
        int failures,
        @Nullable Instant lastFailure,
        @Nullable String failure,
        @Nullable Duration running,
        boolean recurring)
        implements OperationResponseBody {

    static DurableTaskDescriptor of(DurableTask task) {
        return of(task, null);
    }

    static DurableTaskDescriptor of(DurableTask task, @Nullable Duration running) {
        boolean isRecurring = task.handler().startsWith(Handler.RECURRING);
        return new DurableTaskDescriptor(
                isRecurring ? task.handler().substring(Handler.RECURRING.length()) : task.handler(),
                task.id(),
                task.state(),
                task.dueAt(),
                task.owner(),
                task.failures(),
                task.lastFailureAt(),
                firstLine(task.failure()),
                running,
                isRecurring);
    }

    static @Nullable String firstLine(@Nullable String text) {
        return text == null ? null : text.lines().findFirst().orElse("");
    }
}
