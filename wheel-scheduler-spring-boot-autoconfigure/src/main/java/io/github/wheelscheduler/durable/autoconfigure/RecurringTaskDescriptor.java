package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.RecurringTask;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A recurring task as all nodes have it.
 *
 * @param handler the handler that runs it, if it was made at run time; null for a method with {@code @Durable}
 * @param schedule its kind and text
 * @param declaredSchedule the same as the code says
 * @param state {@code SCHEDULED}, {@code CLAIMED}, or, if no node has claimed it, {@code PAUSED} or {@code ENDED}
 * @param paused whether no node runs it at its times
 * @param next the due time of the next run, or of the active one; null if the schedule has ended or never fires
 * @param owner the node that has claimed it; null if none has
 * @param lastSuccess the time when a run last ended well; null if none has
 * @param failuresInARow the number of runs that have failed since then
 * @param lastFailure the time when a run last failed; null if none has
 * @param failure the first line of the exception of the last run; null if it did not fail
 */
public record RecurringTaskDescriptor(
        String id,
        @Nullable String handler,
        String schedule,
        String declaredSchedule,
        String state,
        boolean paused,
        @Nullable Instant next,
        @Nullable String owner,
        @Nullable Instant lastSuccess,
        int failuresInARow,
        @Nullable Instant lastFailure,
        @Nullable String failure)
        implements OperationResponseBody {

    static RecurringTaskDescriptor of(RecurringTask task) {
        String state = task.owner() != null
                ? "CLAIMED"
                : task.dueAt() == null ? "ENDED" : task.isPaused() ? "PAUSED" : "SCHEDULED";
        return new RecurringTaskDescriptor(
                task.id(),
                task.handler(),
                task.schedule(),
                task.declaredSchedule(),
                state,
                task.isPaused(),
                task.dueAt(),
                task.owner(),
                task.lastSuccessAt(),
                task.failures(),
                task.lastFailureAt(),
                DurableTaskDescriptor.firstLine(task.failure()));
    }
}
