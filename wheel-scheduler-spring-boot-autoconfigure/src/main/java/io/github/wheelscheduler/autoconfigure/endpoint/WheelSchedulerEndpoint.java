package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.spring.SchedulerMode;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskQuery;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * The endpoint {@code wheelscheduler}. It shows every {@link WheelTaskScheduler} and its tasks, and passes on to their
 * {@link TaskRegistry} what is to become of them. Write operations are off by default.
 *
 * <p>A task is looked for in all schedulers, unless the name of a scheduler, which is that of its bean, is given.
 */
@Endpoint(id = "wheelscheduler", defaultAccess = Access.READ_ONLY)
public final class WheelSchedulerEndpoint {

    private final SteeringLog log = new SteeringLog(LogFactory.getLog(WheelSchedulerEndpoint.class));
    private final SchedulerBeans beans;
    private final Duration minInterval;

    WheelSchedulerEndpoint(ListableBeanFactory beanFactory, Duration minInterval) {
        this.beans = new SchedulerBeans(beanFactory);
        this.minInterval = minInterval;
    }

    /**
     * Returns the schedulers, and a page of their tasks in the order of scheduler and id.
     *
     * @param scheduler the only one to show; null for all
     * @param offset how many tasks to leave out; null for none
     * @param limit how many tasks to return at most, up to 500; null for 50
     * @throws UnknownNameException if there is no scheduler of that name
     * @throws IllegalArgumentException if offset or limit is out of range
     */
    @ReadOperation
    public SchedulersDescriptor schedulers(
            @Nullable String scheduler, @Nullable Integer offset, @Nullable Integer limit) {
        return find(new TaskRequest(scheduler, null, null, null, null, null, null, offset, limit));
    }

    /**
     * Returns the schedulers, and a page of their tasks: those that are asked for, in that order.
     *
     * @throws UnknownNameException if there is no scheduler or group of that name
     * @throws IllegalArgumentException if what is asked for makes no sense
     */
    SchedulersDescriptor find(TaskRequest request) {
        TaskQuery query = request.toQuery();
        Map<String, TaskRegistry> registries = new LinkedHashMap<>();
        List<SchedulerDescriptor> descriptors = new ArrayList<>();
        for (SchedulerBeans.Named one : beans.all(request.scheduler(), request.group())) {
            registries.put(one.name(), one.registry());
            descriptors.add(SchedulerDescriptor.of(one));
        }
        TaskQuery.Page<TaskDescriptor> page = TaskRegistry.find(registries, query, TaskDescriptor::of);
        return new SchedulersDescriptor(
                descriptors, page.tasks(), query.offset(), query.limit(), page.total(), page.next());
    }

    /**
     * Returns one task.
     *
     * @param scheduler which has the task; null to look in all
     * @throws UnknownNameException if there is no such task or scheduler
     * @throws IllegalArgumentException if several schedulers have a task with that id
     */
    public TaskDescriptor task(String id, @Nullable String scheduler) {
        SchedulerBeans.Named found = beans.withTask(id, scheduler);
        return TaskDescriptor.of(found.name(), found.registry().get(id));
    }

    /**
     * Triggers, pauses, resumes, re-times or resets one task, and returns it as it is then.
     *
     * @param who steers, for the log
     * @param segments the path, which is the id of the task, with slashes in between
     * @param sameId what was said of the id once more, which must be the same; null for nothing
     * @param action {@code trigger}, {@code pause}, {@code resume}, {@code retime} or {@code reset}
     * @param scheduler which has the task; null to look in all
     * @param schedule to re-time to
     * @throws UnknownNameException if there is no such task or scheduler
     * @throws IllegalArgumentException if there is no such action, or the schedule is missing, bad, or not wanted
     * @throws IllegalStateException if the task is over, or is to be triggered while it is running
     * @throws org.springframework.core.task.TaskRejectedException if the scheduler accepts no task
     */
    TaskDescriptor steerTask(
            String who,
            Object segments,
            @Nullable String sameId,
            @Nullable String action,
            @Nullable String scheduler,
            ScheduleTexts schedule) {
        return log.steer(who, action, "task", segments, () -> {
            String id = String.join("/", EndpointAnswers.path(segments));
            EndpointAnswers.requireSame("id", sameId, id);
            TaskDescriptor before = task(id, scheduler);
            steer(beans.withTask(id, scheduler), id, action, schedule);
            TaskDescriptor after = task(id, before.scheduler());
            return new SteeringLog.Steered<>(after, textOf(before), textOf(after));
        });
    }

    private void steer(SchedulerBeans.Named found, String id, @Nullable String action, ScheduleTexts schedule) {
        TaskRegistry registry = found.registry();
        String wanted = lowerCase(action);
        if (!wanted.equals("retime")) {
            schedule.requireNone();
        }
        switch (wanted) {
            case "trigger" -> registry.trigger(id);
            case "pause" -> registry.pause(id);
            case "resume" -> registry.resume(id);
            case "retime" ->
                registry.retime(
                        id,
                        schedule.toSchedule(
                                minInterval, found.scheduler().getClock().instant()));
            case "reset" -> registry.reset(id);
            default ->
                throw new IllegalArgumentException(
                        "action must be trigger, pause, resume, retime or reset, was " + action);
        }
    }

    private static String textOf(TaskDescriptor task) {
        TaskDescriptor.Schedule schedule = task.schedule();
        String zone = schedule.zone() == null ? "" : " " + schedule.zone();
        return task.state() + " " + schedule.kind() + " " + schedule.text() + zone;
    }

    /**
     * Pauses or resumes a scheduler, or changes its mode, with all its tasks, and returns it as it is then.
     *
     * @param who steers, for the log
     * @param action {@code pause} or {@code resume}; or {@code run}, {@code halt} or {@code off} for a mode, which a pause leaves alone
     * @param scheduler which one; null if there is only one
     * @throws UnknownNameException if there is no such scheduler
     * @throws IllegalArgumentException if there is no such action, or several schedulers and no name
     */
    SchedulerDescriptor steerScheduler(String who, @Nullable String action, @Nullable String scheduler) {
        return log.steer(who, action, "scheduler", scheduler == null ? "" : scheduler, () -> {
            SchedulerBeans.Named found = beans.one(scheduler);
            SchedulerDescriptor before = SchedulerDescriptor.of(found);
            switch (lowerCase(action)) {
                case "pause" -> found.scheduler().stop();
                case "resume" -> found.scheduler().start();
                case "run" -> found.scheduler().setMode(SchedulerMode.RUN);
                case "halt" -> found.scheduler().setMode(SchedulerMode.HALTED);
                case "off" -> found.scheduler().setMode(SchedulerMode.OFF);
                default ->
                    throw new IllegalArgumentException("action must be pause, resume, run, halt or off, was " + action);
            }
            SchedulerDescriptor after = SchedulerDescriptor.of(found);
            String to = after.state() + ", " + after.name() + " with " + after.tasks() + " tasks";
            return new SteeringLog.Steered<>(after, String.valueOf(before.state()), to);
        });
    }

    private static String lowerCase(@Nullable String action) {
        return action == null ? "" : action.toLowerCase(Locale.ROOT);
    }
}
