package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.autoconfigure.endpoint.TaskRequest.Part;
import io.github.wheelscheduler.spring.SchedulerMode;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.steering.Steering.Target;
import io.github.wheelscheduler.spring.steering.SteeringListener;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskQuery;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSurvey;
import io.github.wheelscheduler.spring.task.UnknownTaskException;
import java.lang.management.ManagementFactory;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
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
@Endpoint(id = WheelSchedulerEndpoint.ID, defaultAccess = Access.READ_ONLY)
public final class WheelSchedulerEndpoint {

    static final String ID = "wheelscheduler";
    static final String STACK = "stack";

    private static final int MOST_PREVIEWED = 5;
    private static final int MOST_REFUSALS_LOGGED = 2;
    private static final Duration SLOT = Duration.ofMinutes(5);

    private final SteeringLog log;
    private final Pauses pauses = new Pauses();
    private final SchedulerBeans beans;
    private final TaskSteering tasks;
    private final Findings findings;
    private final boolean steering;
    private final @Nullable String traceUrl;

    /** When the process was started: what its tasks did before is not known here. */
    private final Instant started =
            Instant.ofEpochMilli(ManagementFactory.getRuntimeMXBean().getStartTime());

    /**
     * Makes one.
     *
     * @param properties the shortest rate or delay that a task may be re-timed to, and whether a reason is required
     * @param steering whether it may be written to
     * @param traceUrl where a trace is, with {@code {traceId}} in place of its id; null for unknown
     */
    WheelSchedulerEndpoint(
            ListableBeanFactory beanFactory,
            WheelSchedulerEndpointProperties properties,
            boolean steering,
            @Nullable String traceUrl) {
        this.traceUrl = traceUrl;
        this.beans = new SchedulerBeans(beanFactory);
        this.log = new SteeringLog(
                LogFactory.getLog(WheelSchedulerEndpoint.class),
                beanFactory.getBeanProvider(SteeringListener.class),
                properties.isRequireReason());
        this.tasks = new TaskSteering(properties.getMinInterval());
        this.findings = new Findings(
                () -> beanFactory.getBeanProvider(FindingSource.class).orderedStream(), traceUrl);
        this.steering = steering;
    }

    /**
     * Returns the schedulers, and a page of their tasks in the order of scheduler and id.
     *
     * @param scheduler the only one to show; null for all
     * @param offset the number of tasks to leave out; null for none
     * @param limit the maximum number of tasks to return, up to 500; null for 50
     * @throws UnknownNameException if there is no scheduler of that name
     * @throws IllegalArgumentException if offset or limit is out of range
     */
    @ReadOperation
    public SchedulersDescriptor schedulers(
            @Nullable String scheduler, @Nullable Integer offset, @Nullable Integer limit) {
        return find(new TaskRequest(scheduler, null, null, null, null, null, null, offset, limit, null, null));
    }

    /**
     * Returns the schedulers, and a page of their tasks: what is asked for, in that order.
     *
     * @throws UnknownNameException if there is no scheduler or group of that name
     * @throws IllegalArgumentException if what is asked for makes no sense
     */
    SchedulersDescriptor find(TaskRequest request) {
        TaskQuery query = request.toQuery();
        Set<Part> parts = request.parts();
        List<SchedulerBeans.Named> schedulers = beans.all(request.scheduler(), request.group());
        Instant now = (schedulers.isEmpty()
                        ? Clock.systemUTC()
                        : schedulers.get(0).scheduler().getClock())
                .instant();
        Map<String, TaskRegistry> registries = registries(schedulers);
        int lookedAt = parts.contains(Part.FINDINGS) ? TaskFindings.MOST_LOOKED_AT : 0;
        TaskSurvey<TaskDescriptor> survey = TaskRegistry.survey(registries, query, TaskDescriptor::of, lookedAt);
        FrequentTasks.Others others =
                request.isWithoutFrequent() ? FrequentTasks.without(registries, query, now) : null;
        TaskQuery.Page<TaskDescriptor> page = others == null ? survey.page() : others.page();
        List<Findings.Seen> seen = schedulers.stream()
                .map(one -> Findings.Seen.of(
                        one,
                        Objects.requireNonNull(survey.schedulers().get(one.name())),
                        parts.contains(Part.WHEEL),
                        pauses.of(one)))
                .toList();
        return new SchedulersDescriptor(
                now,
                started,
                steering,
                log.requiresReason(),
                parts.contains(Part.FINDINGS) ? findings.of(seen, now) : null,
                seen.stream().map(Findings.Seen::descriptor).toList(),
                schedulers.isEmpty() ? beans.whyNone() : null,
                page.tasks(),
                query.offset(),
                query.limit(),
                page.total(),
                page.next(),
                others == null ? null : others.left(),
                parts.contains(Part.DAY) ? day(registries, query, now, page.tasks()) : null,
                parts.contains(Part.TIMERS) ? beans.timers() : null);
    }

    private static Map<String, TaskRegistry> registries(List<SchedulerBeans.Named> schedulers) {
        Map<String, TaskRegistry> registries = new LinkedHashMap<>();
        schedulers.forEach(one -> registries.put(one.name(), one.registry()));
        return registries;
    }

    private static DayDescriptor day(
            Map<String, TaskRegistry> registries, TaskQuery query, Instant now, List<TaskDescriptor> page) {
        Map<String, List<String>> shown = page.stream()
                .collect(Collectors.groupingBy(
                        TaskDescriptor::scheduler, Collectors.mapping(TaskDescriptor::id, Collectors.toList())));
        Instant from = now.minusSeconds(Math.floorMod(now.getEpochSecond(), SLOT.toSeconds()))
                .truncatedTo(ChronoUnit.SECONDS);
        return DayDescriptor.of(TaskRegistry.day(registries, query, from, shown));
    }

    /**
     * Returns one task.
     *
     * @param scheduler the scheduler that has the task; null to search all
     * @throws UnknownNameException if there is no such task or scheduler
     * @throws IllegalArgumentException if several schedulers have a task with that id
     */
    public TaskDescriptor task(String id, @Nullable String scheduler) {
        SchedulerBeans.Named found = beans.withTask(id, scheduler);
        return TaskDescriptor.inFull(found, found.registry().get(id), steering, traceUrl);
    }

    /**
     * Triggers, pauses, resumes, re-times, resets or interrupts one task, and returns it as it is then, or as it was if
     * it is gone.
     *
     * @param caller steers
     * @param segments the path, which is the id of the task, with slashes in between
     * @param sameId the id that was sent beside the path, which must be the same; null for none
     * @param action {@code trigger}, {@code pause}, {@code resume}, {@code reset}, {@code interrupt} or {@code retime}
     * @param scheduler the scheduler that has the task; null to search all
     * @param schedule to re-time to
     * @param check throws if the rest of the request makes no sense
     * @throws UnknownNameException if there is no such task or scheduler
     * @throws IllegalArgumentException if there is no such action, or the schedule is missing, bad, or not wanted
     * @throws IllegalStateException if the task is over, is to be triggered while it is running, or interrupted while
     *     it is not
     * @throws org.springframework.core.task.TaskRejectedException if the scheduler accepts no task
     */
    TaskDescriptor steerTask(
            SteeringLog.Caller caller,
            Object segments,
            @Nullable String sameId,
            @Nullable String action,
            @Nullable String scheduler,
            ScheduleTexts schedule,
            Runnable check) {
        String named = SteeringLog.nameOf(segments);
        return log.steer(caller, action, Target.ofTask(scheduler, named), named, () -> {
            check.run();
            String id = idOf(segments, sameId);
            TaskDescriptor before = task(id, scheduler);
            tasks.steer(beans.withTask(id, scheduler), id, action, schedule);
            TaskDescriptor after = ifThere(id, before.scheduler());
            return new SteeringLog.Steered<>(
                    after == null ? before : after,
                    Target.ofTask(before.scheduler(), id),
                    textOf(before),
                    after == null ? TaskSteering.GONE : textOf(after));
        });
    }

    /** Returns a task that has been steered; null if it is gone, as a run may cancel it, or its bean may. */
    private @Nullable TaskDescriptor ifThere(String id, String scheduler) {
        try {
            return task(id, scheduler);
        } catch (UnknownNameException | UnknownTaskException ex) {
            return null;
        }
    }

    /**
     * Returns where the runs of a task are. That shows more than who may only read is to see, so it counts as steering.
     *
     * @param caller asks
     * @param check throws if the rest of the request makes no sense
     * @throws UnknownNameException if there is no such task or scheduler
     */
    StacksDescriptor stack(
            SteeringLog.Caller caller,
            Object segments,
            @Nullable String sameId,
            @Nullable String scheduler,
            Runnable check) {
        String named = SteeringLog.nameOf(segments);
        return log.steer(caller, STACK, Target.ofTask(scheduler, named), named, () -> {
            check.run();
            String id = idOf(segments, sameId);
            SchedulerBeans.Named found = beans.withTask(id, scheduler);
            TaskInfo.State state = found.registry().get(id).state();
            StacksDescriptor stacks = StacksDescriptor.of(found.registry().stacks(id));
            String seen = stacks.threads().size() + " threads seen";
            return new SteeringLog.Steered<>(stacks, Target.ofTask(found.name(), id), state.name(), seen);
        });
    }

    /**
     * Returns what re-timing a task would lead to; nothing changes, and the log has no line of it.
     *
     * @throws UnknownNameException if there is no such task or scheduler
     * @throws IllegalArgumentException if the action is not {@code retime}, or the schedule is missing or bad
     */
    PreviewDescriptor preview(
            Object segments,
            @Nullable String sameId,
            @Nullable String action,
            @Nullable String scheduler,
            ScheduleTexts schedule) {
        String id = idOf(segments, sameId);
        return tasks.preview(beans.withTask(id, scheduler), id, action, schedule, MOST_PREVIEWED);
    }

    private static String idOf(Object segments, @Nullable String sameId) {
        String id = String.join("/", EndpointAnswers.path(segments));
        EndpointAnswers.requireSame("id", sameId, id);
        return id;
    }

    /**
     * Triggers, pauses, resumes, resets or interrupts all tasks that a filter finds.
     *
     * @param caller steers
     * @param filter of which only scheduler, group, text and state count
     * @param expected the number of tasks that the caller expects, as it was written; null for any number
     * @throws UnknownNameException if there is no such scheduler or group
     * @throws IllegalArgumentException if there is no such action, neither a filter nor a number, or that is none
     * @throws IllegalStateException if their number differs by now; nothing has changed
     */
    SteeredTasksDescriptor steerTasks(
            SteeringLog.Caller caller, @Nullable String action, TaskRequest filter, @Nullable String expected) {
        String words = filter.filterText();
        Target target = new Target("tasks", filter.scheduler(), null, null, words);
        return log.steer(caller, action, target, words, () -> {
            Integer number = EndpointAnswers.parse("expected", expected, 0, Integer.MAX_VALUE);
            Map<String, TaskRegistry> registries = registries(beans.all(filter.scheduler(), filter.group()));
            TaskSteering.Told told =
                    log.isHeard() ? (task, from, to, why) -> log.tell(caller, action, task, from, to, why) : null;
            SteeredTasksDescriptor answer = tasks.steerAll(registries, filter, action, number, told);
            String refusals = answer.refusals().stream()
                    .limit(MOST_REFUSALS_LOGGED)
                    .map(refusal -> ", as " + refusal.error())
                    .collect(Collectors.joining());
            return new SteeringLog.Steered<>(
                    answer,
                    target,
                    answer.matched() + " found",
                    answer.done() + " done and " + answer.refused() + " refused" + refusals);
        });
    }

    private static String textOf(TaskDescriptor task) {
        TaskDescriptor.Schedule schedule = task.schedule();
        if (schedule.kind().startsWith("fixed")) {
            return task.state() + " " + schedule.words();
        }
        String zone = schedule.zone() == null ? "" : " " + schedule.zone();
        return task.state() + " " + schedule.kind() + " " + schedule.text() + zone;
    }

    /**
     * Pauses or resumes a scheduler, or changes its mode, with all its tasks, and returns it as it is then.
     *
     * @param caller steers
     * @param action {@code pause} or {@code resume}; or {@code run}, {@code halt} or {@code off} for a mode, which a
     *     pause leaves alone
     * @param scheduler which one; null if there is only one
     * @param check throws if the rest of the request makes no sense
     * @throws UnknownNameException if there is no such scheduler
     * @throws IllegalArgumentException if there is no such action, or several schedulers and no name
     */
    SchedulerDescriptor steerScheduler(
            SteeringLog.Caller caller, @Nullable String action, @Nullable String scheduler, Runnable check) {
        String named = scheduler == null ? "" : scheduler;
        return log.steer(caller, action, Target.ofScheduler(scheduler), named, () -> {
            check.run();
            SchedulerBeans.Named found = beans.one(scheduler);
            SchedulerDescriptor before = SchedulerDescriptor.of(found, pauses.of(found));
            switch (TaskSteering.lowerCase(action)) {
                case "pause" -> {
                    Instant pausedAt = found.scheduler().getPausedAt();
                    found.scheduler().stop();
                    pauses.note(found, pausedAt, caller);
                }
                case "resume" -> found.scheduler().start();
                case "run" -> found.scheduler().setMode(SchedulerMode.RUN);
                case "halt" -> found.scheduler().setMode(SchedulerMode.HALTED);
                case "off" -> found.scheduler().setMode(SchedulerMode.OFF);
                default ->
                    throw new IllegalArgumentException("action must be pause, resume, run, halt or off, was " + action);
            }
            SchedulerDescriptor after = SchedulerDescriptor.of(found, pauses.of(found));
            String to = after.state() + ", " + after.name() + " with " + after.tasks() + " tasks";
            return new SteeringLog.Steered<>(
                    after, Target.ofScheduler(found.name()), String.valueOf(before.state()), to);
        });
    }
}
