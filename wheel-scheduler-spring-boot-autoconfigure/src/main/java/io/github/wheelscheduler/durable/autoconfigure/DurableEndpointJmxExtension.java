package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.autoconfigure.endpoint.EndpointAnswers;
import io.github.wheelscheduler.autoconfigure.endpoint.ScheduleTexts;
import io.github.wheelscheduler.autoconfigure.endpoint.SteeringLog;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.jmx.annotation.EndpointJmxExtension;

/** The endpoint of durable tasks over JMX. A failure is thrown. */
@EndpointJmxExtension(endpoint = DurableEndpoint.class)
public final class DurableEndpointJmxExtension {

    private final DurableEndpoint endpoint;

    DurableEndpointJmxExtension(DurableEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** Returns handlers, a task, or a page of tasks; the name is empty for those of all handlers. */
    @ReadOperation
    public OperationResponseBody some(
            @Selector String kind,
            @Selector String name,
            @Nullable String handler,
            @Nullable String state,
            @Nullable String id,
            @Nullable String prefix,
            @Nullable String error,
            @Nullable String after,
            @Nullable Integer limit,
            @Nullable String show) {
        String[] path = {kind, name};
        DurableQuery query = new DurableQuery(handler, state, id, prefix, error, after, limit, show);
        // As Boot's endpoints do it: who gets as far as JMX is authorized.
        return EndpointAnswers.orThrow(
                () -> endpoint.some(path, null, null, query, endpoint.viewer("JMX", values -> values.isShown(true))));
    }

    /** Drains this node, or lets it claim again, and returns what all nodes do. */
    @WriteOperation
    public OperationResponseBody steerNode(@Nullable String action, @Nullable String reason) {
        return EndpointAnswers.orThrow(() -> endpoint.steerNode(SteeringLog.Caller.overJmx(reason), action));
    }

    /** Steers a task, and returns it, or some of the tasks that are found. */
    @WriteOperation
    public OperationResponseBody steer(
            @Selector String kind,
            @Selector String name,
            @Nullable String action,
            @Nullable String id,
            @Nullable String at,
            @Nullable String within,
            @Nullable String handler,
            @Nullable String state,
            @Nullable String prefix,
            @Nullable String error,
            @Nullable String after,
            @Nullable String fixedRate,
            @Nullable String fixedDelay,
            @Nullable String cron,
            @Nullable String zone,
            @Nullable String reason) {
        ScheduleTexts schedule = new ScheduleTexts(fixedRate, fixedDelay, cron, zone, null);
        DurableQuery found = new DurableQuery(handler, state, id, prefix, error, after, null, null);
        DurableEndpoint.Wanted wanted = new DurableEndpoint.Wanted(action, id, at, within, found, schedule);
        String[] path = {kind, name};
        SteeringLog.Caller caller = SteeringLog.Caller.overJmx(reason);
        return EndpointAnswers.orThrow(() -> endpoint.steer(caller, path, null, null, wanted));
    }
}
