package io.github.wheelscheduler.autoconfigure.endpoint;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * The endpoint over HTTP. What goes wrong is answered with a status and the reason: 400 for a request that makes no sense,
 * 404 for what does not exist, 409 for what the task's or scheduler's state does not allow.
 */
@EndpointWebExtension(endpoint = WheelSchedulerEndpoint.class)
@RegisterReflectionForBinding(ProblemDescriptor.class)
public final class WheelSchedulerEndpointWebExtension {

    private final WheelSchedulerEndpoint endpoint;

    WheelSchedulerEndpointWebExtension(WheelSchedulerEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** Answers with the schedulers and a page of their tasks. */
    @ReadOperation
    public WebEndpointResponse<OperationResponseBody> schedulers(
            @Nullable String scheduler, @Nullable String offset, @Nullable String limit) {
        return EndpointAnswers.answer(() -> endpoint.schedulers(
                scheduler,
                EndpointAnswers.parse("offset", offset, Integer.MAX_VALUE),
                EndpointAnswers.parse("limit", limit, WheelSchedulerEndpoint.MAX_LIMIT)));
    }

    /** Answers with one task. */
    @ReadOperation
    public WebEndpointResponse<OperationResponseBody> task(@Selector String id, @Nullable String scheduler) {
        return EndpointAnswers.answer(() -> endpoint.task(id, scheduler));
    }

    /** Answers with one task, whose id has slashes. */
    @ReadOperation
    public WebEndpointResponse<OperationResponseBody> taskOfSegments(
            @Selector(match = Match.ALL_REMAINING) String[] segments, @Nullable String scheduler) {
        return task(String.join("/", segments), scheduler);
    }

    /** Triggers, pauses, resumes or re-times one task, and answers with it. */
    @WriteOperation
    public WebEndpointResponse<OperationResponseBody> steerTask(
            @Selector String id,
            @Nullable String action,
            @Nullable String scheduler,
            @Nullable String fixedRate,
            @Nullable String fixedDelay,
            @Nullable String cron,
            @Nullable String zone,
            @Nullable String once) {
        return EndpointAnswers.answer(
                () -> endpoint.steerTask(id, action, scheduler, fixedRate, fixedDelay, cron, zone, once));
    }

    /** Triggers, pauses, resumes or re-times one task, whose id has slashes, and answers with it. */
    @WriteOperation
    public WebEndpointResponse<OperationResponseBody> steerTaskOfSegments(
            @Selector(match = Match.ALL_REMAINING) String[] segments,
            @Nullable String action,
            @Nullable String scheduler,
            @Nullable String fixedRate,
            @Nullable String fixedDelay,
            @Nullable String cron,
            @Nullable String zone,
            @Nullable String once) {
        return steerTask(String.join("/", segments), action, scheduler, fixedRate, fixedDelay, cron, zone, once);
    }

    /** Pauses or resumes a scheduler, and answers with it. */
    @WriteOperation
    public WebEndpointResponse<OperationResponseBody> steerScheduler(
            @Nullable String action, @Nullable String scheduler) {
        return EndpointAnswers.answer(() -> endpoint.steerScheduler(action, scheduler));
    }
}
