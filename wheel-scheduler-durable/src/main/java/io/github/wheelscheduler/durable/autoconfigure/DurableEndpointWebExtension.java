package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.autoconfigure.endpoint.EndpointAnswers;
import io.github.wheelscheduler.autoconfigure.endpoint.ProblemDescriptor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.dao.DataAccessException;

/** The endpoint of durable tasks over HTTP. What goes wrong is answered as {@link EndpointAnswers} says. */
@EndpointWebExtension(endpoint = DurableEndpoint.class)
@RegisterReflectionForBinding({
    DurableDescriptor.class,
    ProblemDescriptor.class,
    RecurringTaskDescriptor.class,
    DurableTaskDescriptor.class,
    DurablePageDescriptor.class
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

    /** Answers with a recurring task, or a page of the tasks of a handler. */
    @ReadOperation
    public WebEndpointResponse<OperationResponseBody> some(
            @Selector String kind,
            @Selector String name,
            @Nullable String state,
            @Nullable String after,
            @Nullable String limit) {
        return answer(() -> endpoint.some(
                kind, name, state, after, EndpointAnswers.parse("limit", limit, DurableEndpoint.MAX_LIMIT)));
    }

    /** The same for a name with slashes. */
    @ReadOperation
    public WebEndpointResponse<OperationResponseBody> someOfSegments(
            @Selector String kind,
            @Selector(match = Match.ALL_REMAINING) String[] segments,
            @Nullable String state,
            @Nullable String after,
            @Nullable String limit) {
        return some(kind, String.join("/", segments), state, after, limit);
    }

    /** Steers a task, and answers with it. */
    @WriteOperation
    public WebEndpointResponse<OperationResponseBody> steer(
            @Selector String kind,
            @Selector String name,
            @Nullable String action,
            @Nullable String id,
            @Nullable String at,
            @Nullable String fixedRate,
            @Nullable String fixedDelay,
            @Nullable String cron,
            @Nullable String zone) {
        return answer(() -> endpoint.steer(kind, name, action, id, at, fixedRate, fixedDelay, cron, zone));
    }

    /** The same for a name with slashes. */
    @WriteOperation
    public WebEndpointResponse<OperationResponseBody> steerOfSegments(
            @Selector String kind,
            @Selector(match = Match.ALL_REMAINING) String[] segments,
            @Nullable String action,
            @Nullable String id,
            @Nullable String at,
            @Nullable String fixedRate,
            @Nullable String fixedDelay,
            @Nullable String cron,
            @Nullable String zone) {
        return steer(kind, String.join("/", segments), action, id, at, fixedRate, fixedDelay, cron, zone);
    }

    /** What the database says has statements in it. */
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
