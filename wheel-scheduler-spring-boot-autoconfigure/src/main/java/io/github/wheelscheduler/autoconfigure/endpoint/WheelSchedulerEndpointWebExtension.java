package io.github.wheelscheduler.autoconfigure.endpoint;

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

/**
 * The endpoint over HTTP. A failure is answered with a status and the reason: 400 for a request that makes no sense, 404
 * for an unknown task or scheduler, 409 for an action that its state does not allow.
 */
@EndpointWebExtension(endpoint = WheelSchedulerEndpoint.class)
@RegisterReflectionForBinding({
    SchedulersDescriptor.class,
    SchedulerDescriptor.class,
    TaskDescriptor.class,
    ProblemDescriptor.class
})
public final class WheelSchedulerEndpointWebExtension {

    private final WheelSchedulerEndpoint endpoint;

    WheelSchedulerEndpointWebExtension(WheelSchedulerEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** Answers with the schedulers and a page of the tasks that are asked for. */
    @ReadOperation
    public WebEndpointResponse<OperationResponseBody> schedulers(
            @Nullable String scheduler,
            @Nullable String group,
            @Nullable String text,
            @Nullable String state,
            @Nullable String sort,
            @Nullable String order,
            @Nullable String after,
            @Nullable String offset,
            @Nullable String limit) {
        return EndpointAnswers.answer(() -> endpoint.find(new TaskRequest(
                scheduler,
                group,
                text,
                state,
                sort,
                order,
                after,
                EndpointAnswers.parse("offset", offset, Integer.MAX_VALUE),
                EndpointAnswers.parse("limit", limit, TaskRequest.MAX_LIMIT))));
    }

    /** Answers with one task. An id may have slashes. */
    @ReadOperation
    public WebEndpointResponse<OperationResponseBody> task(
            @Selector(match = Match.ALL_REMAINING) Object segments, @Nullable String id, @Nullable String scheduler) {
        return EndpointAnswers.answer(() -> {
            String ofPath = String.join("/", EndpointAnswers.path(segments));
            EndpointAnswers.requireSame("id", id, ofPath);
            return endpoint.task(ofPath, scheduler);
        });
    }

    /** Triggers, pauses, resumes, re-times or resets one task, and answers with it. An id may have slashes. */
    @WriteOperation
    public WebEndpointResponse<OperationResponseBody> steerTask(
            SecurityContext context,
            @Selector(match = Match.ALL_REMAINING) Object segments,
            @Nullable String id,
            @Nullable String action,
            @Nullable String scheduler,
            @Nullable String fixedRate,
            @Nullable String fixedDelay,
            @Nullable String cron,
            @Nullable String zone,
            @Nullable String once) {
        ScheduleTexts schedule = new ScheduleTexts(fixedRate, fixedDelay, cron, zone, once);
        return EndpointAnswers.answer(
                () -> endpoint.steerTask(SteeringLog.userOf(context), segments, id, action, scheduler, schedule));
    }

    /** Pauses or resumes a scheduler, or changes its mode, and answers with it. */
    @WriteOperation
    public WebEndpointResponse<OperationResponseBody> steerScheduler(
            SecurityContext context, @Nullable String action, @Nullable String scheduler) {
        return EndpointAnswers.answer(() -> endpoint.steerScheduler(SteeringLog.userOf(context), action, scheduler));
    }
}
