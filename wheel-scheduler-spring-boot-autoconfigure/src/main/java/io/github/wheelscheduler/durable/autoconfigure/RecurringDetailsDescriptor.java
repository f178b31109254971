package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.internal.operator.TaskDetails;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * One recurring task with all values of its row. The first names are those of {@link RecurringTaskDescriptor}.
 *
 * @param handler the handler that runs it, if it was made at run time; null for a method with {@code @Durable}
 * @param failure the first line of the exception of the last run; null if it did not fail
 * @param now the time when it was read, by the clock of this node
 * @param steering whether the endpoint may be written to
 * @param running the time that its run has been active on this node; null if it does not run here
 * @param attempt the number of the run that is active or comes next
 * @param deaths the number of nodes that have died while they had it
 * @param error the exception of the last run, with the stack trace; null if it did not fail
 * @param errorCut whether that is longer
 * @param traceId of the trace of the attempt that has failed last; null if none is known
 * @param traceUrl the address of that trace; null unless {@code wheel.scheduler.trace-url} is set
 * @param payloadBytes the length of its payload in bytes; 0 for a method, which has none
 * @param payloadAllowed whether the payload is shown where it is asked for
 * @param payload its JSON, if it was asked for; {@code ******} where it is not shown
 * @param payloadCut whether that is longer, or no JSON from there
 * @param payloadFormat the name of its format; null if it was not asked for, or nothing says it
 */
public record RecurringDetailsDescriptor(
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
        @Nullable String failure,
        Instant now,
        boolean steering,
        @Nullable Duration running,
        int attempt,
        int deaths,
        @Nullable String error,
        boolean errorCut,
        @Nullable String traceId,
        @Nullable String traceUrl,
        int payloadBytes,
        boolean payloadAllowed,
        @Nullable String payload,
        boolean payloadCut,
        @Nullable String payloadFormat)
        implements OperationResponseBody {

    /**
     * Describes a task.
     *
     * @param text of its payload; null if it was not asked for
     */
    static RecurringDetailsDescriptor of(
            RecurringTask task,
            TaskDetails details,
            DurableLookup.Viewer viewer,
            @Nullable Duration running,
            @Nullable String traceUrl,
            DurableLookup.@Nullable Shown text) {
        RecurringTaskDescriptor known = RecurringTaskDescriptor.of(task);
        return new RecurringDetailsDescriptor(
                known.id(),
                known.handler(),
                known.schedule(),
                known.declaredSchedule(),
                known.state(),
                known.paused(),
                known.next(),
                known.owner(),
                known.lastSuccess(),
                known.failuresInARow(),
                known.lastFailure(),
                known.failure(),
                Instant.now(),
                viewer.maySteer(),
                running,
                details.attempt(),
                details.deaths(),
                details.error(),
                details.isErrorCut(),
                details.traceId(),
                traceUrl,
                known.handler() == null ? 0 : details.payloadBytes(),
                viewer.mayShow(),
                text == null ? null : text.json(),
                text != null && text.isCut(),
                text == null ? null : text.format());
    }
}
