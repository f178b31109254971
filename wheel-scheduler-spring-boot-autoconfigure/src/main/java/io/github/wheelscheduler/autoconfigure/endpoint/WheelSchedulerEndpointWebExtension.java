package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.autoconfigure.ProgramTimers;
import java.util.Objects;
import java.util.stream.Stream;
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
 * The endpoint over HTTP. A failure is answered with a status and the reason: 400 for a request that makes no sense,
 * 404 for an unknown task or scheduler, 409 for an action that its state does not allow.
 */
@EndpointWebExtension(endpoint = WheelSchedulerEndpoint.class)
@RegisterReflectionForBinding({
    SchedulersDescriptor.class,
    SchedulerDescriptor.class,
    TaskDescriptor.class,
    Finding.class,
    DayDescriptor.class,
    ProgramTimers.Timers.class,
    ProgramTimers.Leases.class,
    PreviewDescriptor.class,
    StacksDescriptor.class,
    SteeredTasksDescriptor.class,
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
            @Nullable String limit,
            @Nullable String frequent,
            @Nullable String show) {
        return EndpointAnswers.answer(() -> endpoint.find(new TaskRequest(
                scheduler,
                group,
                text,
                state,
                sort,
                order,
                after,
                EndpointAnswers.parse("offset", offset, 0, Integer.MAX_VALUE),
                EndpointAnswers.parse("limit", limit, 0, TaskRequest.MAX_LIMIT),
                frequent,
                show)));
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

    /** Steers one task, and answers with it, with the stacks of its runs or with a preview. An id may have slashes. */
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
            @Nullable String once,
            @Nullable String preview,
            @Nullable String reason) {
        ScheduleTexts schedule = new ScheduleTexts(fixedRate, fixedDelay, cron, zone, once);
        SteeringLog.Caller caller = SteeringLog.Caller.overHttp(context, reason);
        return EndpointAnswers.answer(() -> {
            if ("true".equals(preview)) {
                return endpoint.preview(segments, id, action, scheduler, schedule);
            }
            Runnable check = () -> {
                boolean ignored = TaskRequest.isTrue("preview", preview);
            };
            if (WheelSchedulerEndpoint.STACK.equalsIgnoreCase(action)) {
                return endpoint.stack(caller, segments, id, scheduler, () -> {
                    check.run();
                    schedule.requireNone();
                });
            }
            return endpoint.steerTask(caller, segments, id, action, scheduler, schedule, check);
        });
    }

    /**
     * Pauses or resumes a scheduler, or changes its mode, and answers with it; or steers all tasks that a filter finds.
     */
    @WriteOperation
    public WebEndpointResponse<OperationResponseBody> steerScheduler(
            SecurityContext context,
            @Nullable String of,
            @Nullable String action,
            @Nullable String scheduler,
            @Nullable String group,
            @Nullable String text,
            @Nullable String state,
            @Nullable String expected,
            @Nullable String reason) {
        SteeringLog.Caller caller = SteeringLog.Caller.overHttp(context, reason);
        return EndpointAnswers.answer(() -> {
            if ("tasks".equals(of)) {
                return endpoint.steerTasks(
                        caller, action, TaskRequest.ofFilter(scheduler, group, text, state), expected);
            }
            return endpoint.steerScheduler(caller, action, scheduler, () -> {
                if (of != null && !of.equals("scheduler")) {
                    throw new IllegalArgumentException("of must be tasks or scheduler, was " + of);
                }
                if (Stream.of(group, text, state, expected).anyMatch(Objects::nonNull)) {
                    throw new IllegalArgumentException(
                            "group, text, state and expected must only be given if of is tasks");
                }
            });
        });
    }
}
