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

    /** Returns a recurring task, or a page of the tasks of a handler. */
    @ReadOperation
    public OperationResponseBody some(
            @Selector String kind,
            @Selector String name,
            @Nullable String state,
            @Nullable String after,
            @Nullable Integer limit) {
        String[] path = {kind, name};
        return EndpointAnswers.orThrow(() -> endpoint.some(path, null, null, state, after, limit));
    }

    /** Drains this node, or lets it claim again, and returns what all nodes do. */
    @WriteOperation
    public OperationResponseBody steerNode(@Nullable String action) {
        return EndpointAnswers.orThrow(() -> endpoint.steerNode(SteeringLog.JMX, action));
    }

    /** Steers a task, and returns it. */
    @WriteOperation
    public OperationResponseBody steer(
            @Selector String kind,
            @Selector String name,
            @Nullable String action,
            @Nullable String id,
            @Nullable String at,
            @Nullable String within,
            @Nullable String fixedRate,
            @Nullable String fixedDelay,
            @Nullable String cron,
            @Nullable String zone) {
        ScheduleTexts schedule = new ScheduleTexts(fixedRate, fixedDelay, cron, zone, null);
        DurableEndpoint.Wanted wanted = new DurableEndpoint.Wanted(action, id, at, within, schedule);
        String[] path = {kind, name};
        return EndpointAnswers.orThrow(() -> endpoint.steer(SteeringLog.JMX, path, null, null, wanted));
    }
}
