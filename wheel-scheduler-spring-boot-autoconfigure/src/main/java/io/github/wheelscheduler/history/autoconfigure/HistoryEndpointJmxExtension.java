package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.autoconfigure.endpoint.EndpointAnswers;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.jmx.annotation.EndpointJmxExtension;

/** The endpoint of the history over JMX. A failure is thrown. */
@EndpointJmxExtension(endpoint = HistoryEndpoint.class)
public final class HistoryEndpointJmxExtension {

    private final HistoryEndpoint endpoint;

    HistoryEndpointJmxExtension(HistoryEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** Returns a page of the rows that are asked for, the newest first. */
    @ReadOperation
    public HistoryRowsDescriptor history(
            @Nullable String from,
            @Nullable String to,
            @Nullable String task,
            @Nullable String id,
            @Nullable String outcome,
            @Nullable String cause,
            @Nullable String node,
            @Nullable String text,
            @Nullable String after,
            @Nullable Integer limit) {
        HistoryRequest request =
                new HistoryRequest(from, to, task, id, outcome, cause, node, text, null, null, after, limit);
        return EndpointAnswers.orThrow(() -> endpoint.rows(request));
    }

    /** Returns totals, a task, its failures, a stack trace, or who steered. */
    @ReadOperation
    public OperationResponseBody some(
            @Selector String what,
            @Nullable String from,
            @Nullable String to,
            @Nullable String task,
            @Nullable String who,
            @Nullable String kind,
            @Nullable String after,
            @Nullable Integer limit) {
        String[] path = {what};
        HistoryRequest request =
                new HistoryRequest(from, to, task, null, null, null, null, null, who, kind, after, limit);
        return EndpointAnswers.orThrow(() -> endpoint.some(path, request));
    }
}
