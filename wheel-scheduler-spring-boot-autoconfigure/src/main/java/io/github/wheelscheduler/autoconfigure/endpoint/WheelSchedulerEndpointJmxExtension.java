package io.github.wheelscheduler.autoconfigure.endpoint;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.jmx.annotation.EndpointJmxExtension;

/** The endpoint over JMX. A failure is thrown. */
@EndpointJmxExtension(endpoint = WheelSchedulerEndpoint.class)
public final class WheelSchedulerEndpointJmxExtension {

    private final WheelSchedulerEndpoint endpoint;

    WheelSchedulerEndpointJmxExtension(WheelSchedulerEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** Returns the schedulers, and a page of the tasks that are asked for. */
    @ReadOperation
    public SchedulersDescriptor schedulers(
            @Nullable String scheduler,
            @Nullable String group,
            @Nullable String text,
            @Nullable String state,
            @Nullable String sort,
            @Nullable String order,
            @Nullable String after,
            @Nullable Integer offset,
            @Nullable Integer limit) {
        return EndpointAnswers.orThrow(() -> endpoint.find(
                new TaskRequest(scheduler, group, text, state, sort, order, after, offset, limit, null, null)));
    }

    /** Returns one task. */
    @ReadOperation
    public TaskDescriptor task(@Selector String id, @Nullable String scheduler) {
        return EndpointAnswers.orThrow(() -> endpoint.task(id, scheduler));
    }

    /** Steers one task, and returns it. */
    @WriteOperation
    public TaskDescriptor steerTask(
            @Selector String id,
            @Nullable String action,
            @Nullable String scheduler,
            @Nullable String fixedRate,
            @Nullable String fixedDelay,
            @Nullable String cron,
            @Nullable String zone,
            @Nullable String once,
            @Nullable String reason) {
        ScheduleTexts schedule = new ScheduleTexts(fixedRate, fixedDelay, cron, zone, once);
        String[] path = {id};
        return EndpointAnswers.orThrow(() -> endpoint.steerTask(
                SteeringLog.Caller.overJmx(reason), path, null, action, scheduler, schedule, () -> {}));
    }

    /** Pauses or resumes a scheduler, or changes its mode, and returns it. */
    @WriteOperation
    public SchedulerDescriptor steerScheduler(
            @Nullable String action, @Nullable String scheduler, @Nullable String reason) {
        return EndpointAnswers.orThrow(
                () -> endpoint.steerScheduler(SteeringLog.Caller.overJmx(reason), action, scheduler, () -> {}));
    }
}
