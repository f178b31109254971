package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.DurableTask;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * One task with all that its row says.
 *
 * @param now when it was read, by the clock of this node
 * @param steering whether the endpoint may be written to
 * @param next when it is due
 * @param firstDue when it was due at first, if that was before
 * @param owner the node that has claimed it; null if none has
 * @param running for how long its run has been going on on this node; null if it does not run here
 * @param attempt the number of the run that goes on or comes next
 * @param retries how many retries it has in place of those of its handler; null for those
 * @param failures how many runs have failed in a row
 * @param lastFailure when the last of them did; null if none has
 * @param deaths how many nodes that had it have died
 * @param error why it has failed for good or cannot be read, with the stack trace; null otherwise
 * @param errorCut whether that is longer
 * @param traceId of the trace of the attempt that has failed last; null if none is known
 * @param traceUrl where that trace is; null unless {@code wheel.scheduler.trace-url} is set
 * @param payloadBytes how long its payload is
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
