package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.DurableTask;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * One task with all values of its row.
 *
 * @param now the time when it was read, by the clock of this node
 * @param steering whether the endpoint may be written to
 * @param next its due time
 * @param firstDue its first due time, if that was before
 * @param owner the node that has claimed it; null if none has
 * @param running the time that its run has been active on this node; null if it does not run here
 * @param attempt the number of the run that is active or comes next
 * @param retries the number of its own retries in place of those of its handler; null for those of its handler
 * @param failures the number of runs that have failed in a row
 * @param lastFailure the time when the last of them failed; null if none has
 * @param deaths the number of nodes that have died while they had it
 * @param error the reason why it has failed permanently or cannot be read, with the stack trace; null otherwise
 * @param errorCut whether that is longer
 * @param traceId of the trace of the attempt that has failed last; null if none is known
 * @param traceUrl the address of that trace; null unless {@code wheel.scheduler.trace-url} is set
 * @param payloadBytes the length of its payload in bytes
 * @param payloadAllowed whether the payload is shown where it is asked for
 * @param payload its JSON, if it was asked for; {@code ******} where it is not shown
 * @param payloadCut whether that is longer, or no JSON from there
 * @param payloadFormat the name of its format; null if it was not asked for, or nothing says it
 */
public record DurableDetailsDescriptor(
        Instant now,
        boolean steering,
        String handler,
        String id,
        DurableTask.State state,
        Instant next,
        @Nullable Instant firstDue,
        @Nullable String owner,
        @Nullable Duration running,
        int attempt,
        @Nullable Integer retries,
        int failures,
        @Nullable Instant lastFailure,
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
        implements OperationResponseBody {}
