package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.autoconfigure.endpoint.EndpointAnswers;
import io.github.wheelscheduler.autoconfigure.endpoint.ProblemDescriptor;
import io.github.wheelscheduler.autoconfigure.endpoint.ScheduleTexts;
import io.github.wheelscheduler.autoconfigure.endpoint.SteeringLog;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.dao.DataAccessException;

/** The endpoint of durable tasks over HTTP. A failure is answered as {@link EndpointAnswers} says. */
@EndpointWebExtension(endpoint = DurableEndpoint.class)
@RegisterReflectionForBinding({
    DurableDescriptor.class,
    ProblemDescriptor.class,
    RecurringTaskDescriptor.class,
    DurableTaskDescriptor.class,
    DurablePageDescriptor.class,
    DurableRecurringDescriptor.class,
    DurableDetailsDescriptor.class,
    RecurringDetailsDescriptor.class,
    DurableHandlersDescriptor.class,
    DurableBatchDescriptor.class
})
public final class DurableEndpointWebExtension {

    private final DurableEndpoint endpoint;

    DurableEndpointWebExtension(DurableEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** Answers with what all nodes do. */
    @ReadOperation
    public WebEndpointResponse<OperationResponseBody> durable() {
        return answer(endpoint::durable);
    }

    /** Answers with handlers, a task, or a page of tasks. A name may have slashes. */
    @ReadOperation
    public WebEndpointResponse<OperationResponseBody> some(
            SecurityContext context,
            @Selector(match = Match.ALL_REMAINING) Object segments,
            @Nullable String kind,
            @Nullable String name,
            @Nullable String handler,
            @Nullable String state,
            @Nullable String id,
            @Nullable String prefix,
            @Nullable String error,
            @Nullable String after,
            @Nullable String limit,
            @Nullable String show) {
        return answer(() -> {
            Integer atMost = EndpointAnswers.parse("limit", limit, 1, DurableQuery.MAX_LIMIT);
            DurableQuery query = new DurableQuery(handler, state, id, prefix, error, after, atMost, show);
            return endpoint.some(segments, kind, name, query, endpoint.viewer(context));
        });
    }

    /**
     * Steers a task, and answers with it, or some of the tasks that are found, and says how to go on. A name may have
     * slashes.
     */
    @WriteOperation
    public WebEndpointResponse<OperationResponseBody> steer(
            SecurityContext context,
            @Selector(match = Match.ALL_REMAINING) Object segments,
            @Nullable String kind,
            @Nullable String name,
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
        SteeringLog.Caller caller = SteeringLog.Caller.overHttp(context, reason);
        return answer(() -> endpoint.steer(caller, segments, kind, name, wanted));
    }

    /** Drains this node, or lets it claim again, and answers with what all nodes do. */
    @WriteOperation
    public WebEndpointResponse<OperationResponseBody> steerNode(
            SecurityContext context, @Nullable String action, @Nullable String reason) {
        return answer(() -> endpoint.steerNode(SteeringLog.Caller.overHttp(context, reason), action));
    }

    /** Hides the text of the database, which has statements in it. */
    private static WebEndpointResponse<OperationResponseBody> answer(Supplier<OperationResponseBody> operation) {
        try {
            return EndpointAnswers.answer(operation);
        } catch (DataAccessException ex) {
            return EndpointAnswers.problem(
                    WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE,
                    "the database must answer, but did not: " + ex.getClass().getSimpleName());
        }
    }
}
