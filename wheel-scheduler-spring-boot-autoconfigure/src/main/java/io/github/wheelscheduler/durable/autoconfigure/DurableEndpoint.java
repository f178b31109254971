package io.github.wheelscheduler.durable.autoconfigure;

import static io.github.wheelscheduler.internal.DurationWords.exactly;

import io.github.wheelscheduler.autoconfigure.endpoint.EndpointAnswers;
import io.github.wheelscheduler.autoconfigure.endpoint.ScheduleTexts;
import io.github.wheelscheduler.autoconfigure.endpoint.SteeringLog;
import io.github.wheelscheduler.autoconfigure.endpoint.UnknownNameException;
import io.github.wheelscheduler.autoconfigure.endpoint.WheelSchedulerEndpointProperties;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.RecurringTasks;
import io.github.wheelscheduler.durable.internal.operator.Batches;
import io.github.wheelscheduler.spring.steering.Steering.Target;
import io.github.wheelscheduler.spring.steering.SteeringListener;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.convert.DurationStyle;

/**
 * The endpoint {@code wheeldurable}. It shows durable tasks as the database has them, so the same on each node, and
 * steers them for all nodes. Write operations are off by default.
 */
@Endpoint(id = DurableEndpoint.ID, defaultAccess = Access.READ_ONLY)
public final class DurableEndpoint {

    static final String ID = "wheeldurable";
    private static final Duration LONGEST_WITHIN = Duration.ofMinutes(1);
    /** So many recurring tasks come with the rest; 10,000 of them would with each look. */
    private static final DurableQuery FIRST =
            new DurableQuery(null, null, null, null, null, null, DurableQuery.MAX_LIMIT, null);

    private static final String HANDLERS = "handlers";
    private static final String RECURRING = "recurring";
    private static final String TASKS = "tasks";

    private final Log lines = LogFactory.getLog("io.github.wheelscheduler.durable");
    private final SteeringLog log;
    private final DurableEngine engine;
    private final Duration minInterval;
    private final boolean steering;
    private final DurableLookup lookup;
    private final Show showValues;
    private final Set<String> roles;

    /**
     * Makes one.
     *
     * @param steered the shortest rate or delay that a task may be re-timed to, and whether a reason is required
     * @param listeners receive each steering
     * @param properties when payloads are shown, and to which roles
     * @param functions take out what is never shown of them
     * @param traceUrl where a trace is, with {@code {traceId}} in place of its id; null for unknown
     */
    DurableEndpoint(
            DurableEngine engine,
            WheelSchedulerEndpointProperties steered,
            ObjectProvider<SteeringListener> listeners,
            boolean steering,
            DurableEndpointProperties properties,
            Iterable<SanitizingFunction> functions,
            @Nullable String traceUrl) {
        this.lookup = new DurableLookup(engine, new PayloadText(functions), traceUrl, lines);
        this.showValues = properties.getShowValues();
        this.roles = Set.copyOf(properties.getRoles());
        this.engine = engine;
        this.log = new SteeringLog(lines, listeners, steered.isRequireReason());
        this.minInterval = steered.getMinInterval();
        this.steering = steering;
    }

    /** Returns what all nodes do, and the recurring tasks. */
    @ReadOperation
    public DurableDescriptor durable() {
        return DurableDescriptor.of(engine, steering, lookup.recurring(FIRST));
    }

    /**
     * Returns the handlers, a recurring task or a page of them, or a one-time task or a page of those.
     *
     * @param segments the path: {@code handlers}, {@code recurring} or {@code tasks}, and behind the last two the id of
     *     the recurring task or the handler, or nothing
     * @param sameKind the kind that was sent beside the path, which must be the same; null for none
     * @param sameName the rest of the path, likewise
     * @param query the query for tasks
     * @param viewer the caller, and whether payloads are shown to it
     * @throws UnknownNameException if there is no such kind or task
     * @throws IllegalArgumentException if the query makes no sense
     */
    OperationResponseBody some(
            Object segments,
            @Nullable String sameKind,
            @Nullable String sameName,
            DurableQuery query,
            DurableLookup.Viewer viewer) {
        String[] path = pathOf(segments, sameKind, sameName);
        String name = path[1];
        if (path[0].equals(HANDLERS)) {
            if (!name.isEmpty()) {
                throw UnknownNameException.of("path must have nothing behind handlers, had " + name);
            }
            return lookup.handlers();
        }
        if (isRecurring(path[0], "handlers, recurring or tasks")) {
            return name.isEmpty() ? lookup.recurring(query) : lookup.recurring(name, query.shows("payload"), viewer);
        }
        DurableQuery wanted = query.of(name);
        String id = wanted.id();
        return id == null || name.isEmpty() || query.state() != null || query.error() != null
                ? lookup.page(wanted)
                : lookup.task(name, id, wanted.shows("payload"), viewer);
    }

    /** Returns the caller. */
    DurableLookup.Viewer viewer(String name, Predicate<Show> isShown) {
        return new DurableLookup.Viewer(name, isShown.test(showValues), steering);
    }

    /** Returns the same for a user over HTTP. */
    DurableLookup.Viewer viewer(SecurityContext context) {
        return viewer(SteeringLog.Caller.overHttp(context, null).inLog(), show -> show.isShown(context, roles));
    }

    /**
     * A request as it was written; it may make no sense.
     *
     * @param action as {@link #steer} knows them
     * @param id of the one-time task
     * @param at the instant at which that is to be due
     * @param within the time to wait for the node that has it, if it is cancelled also then
     * @param found the query for the tasks, if the action is for all that are found
     * @param schedule to re-time to
     */
    record Wanted(
            @Nullable String action,
            @Nullable String id,
            @Nullable String at,
            @Nullable String within,
            DurableQuery found,
            ScheduleTexts schedule) {

        String verb() {
            return action == null ? "" : action.toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Triggers, pauses, resumes or re-times a recurring task, or retries, cancels or reschedules a one-time task, for
     * all nodes.
     *
     * @param caller steers
     * @param segments the path: {@code recurring} or {@code tasks}, and the id of the recurring task, or the handler
     * @param sameKind the kind that was sent beside the path, which must be the same; null for none
     * @param sameName the rest of the path, likewise
     * @return the task as it is then, or as it was if it is gone
     * @throws UnknownNameException if there is no such kind or task
     * @throws IllegalArgumentException if there is no such action, or something is missing, bad, or not wanted
     * @throws IllegalStateException if it is too late, as a node has claimed it, or it has not failed
     */
    OperationResponseBody steer(
            SteeringLog.Caller caller,
            Object segments,
            @Nullable String sameKind,
            @Nullable String sameName,
            Wanted wanted) {
        String named = SteeringLog.nameOf(segments);
        String inLog = wanted.id() == null ? named : wanted.id() + " of " + named;
        return log.steer(caller, wanted.action(), targetOf(named, wanted), inLog, () -> {
            String[] path = pathOf(segments, sameKind, sameName);
            if (!wanted.verb().equals("retime")) {
                wanted.schedule().requireNone();
            }
            if (isRecurring(path[0], "recurring or tasks")) {
                return steerRecurring(path[1], wanted);
            }
            return path[1].isEmpty() ? steerFound(wanted) : steerOne(path[1], wanted);
        });
    }

    /** Returns what is steered, as far as the request says it. */
    private static Target targetOf(String path, Wanted wanted) {
        int slash = path.indexOf('/');
        String name = slash < 0 ? null : path.substring(slash + 1);
        String id = wanted.id();
        return new Target(id == null ? "durable" : "durable task", null, name, id, null);
    }

    /**
     * Lets this node claim nothing more and run on, as before it is replaced, or lets it claim again.
     *
     * @param caller steers
     * @return the state of all nodes after that
     * @throws IllegalArgumentException if there is no such action
     */
    OperationResponseBody steerNode(SteeringLog.Caller caller, @Nullable String action) {
        Target target = new Target("durable node", null, null, null, null);
        return log.steer(caller, action, target, engine.settings().node(), () -> {
            String before = stateOfNode();
            switch (action == null ? "" : action.toLowerCase(Locale.ROOT)) {
                case "drain" -> engine.drain();
                case "resume" -> engine.endDrain();
                default -> throw new IllegalArgumentException("action must be drain or resume, was " + action);
            }
            return new SteeringLog.Steered<OperationResponseBody>(durable(), target, before, stateOfNode());
        });
    }

    private String stateOfNode() {
        return engine.isDraining() ? "draining" : "claiming";
    }

    /** Returns kind and name. */
    private static String[] pathOf(Object segments, @Nullable String sameKind, @Nullable String sameName) {
        String[] path = EndpointAnswers.path(segments);
        String kind = path.length == 0 ? "" : path[0];
        String name = Stream.of(path).skip(1).collect(Collectors.joining("/"));
        EndpointAnswers.requireSame("kind", sameKind, kind);
        EndpointAnswers.requireSame("name", sameName, name);
        return new String[] {kind, name};
    }

    private static boolean isRecurring(String kind, String known) {
        if (!kind.equals(RECURRING) && !kind.equals(TASKS)) {
            throw UnknownNameException.of("path must begin with " + known + ", was " + kind);
        }
        return kind.equals(RECURRING);
    }

    private RecurringTaskDescriptor recurring(String id) {
        return RecurringTaskDescriptor.of(engine.recurringTasks()
                .find(id)
                .orElseThrow(() -> UnknownNameException.of("No recurring durable task named " + id)));
    }

    private SteeringLog.Steered<OperationResponseBody> steerRecurring(String id, Wanted wanted) {
        if (wanted.id() != null || wanted.at() != null || wanted.within() != null) {
            throw new IllegalArgumentException("id, at and within apply to one-time tasks only, not to recurring ones");
        }
        RecurringTaskDescriptor before = recurring(id);
        RecurringTasks tasks = engine.recurringTasks();
        switch (wanted.verb()) {
            case "trigger" -> {
                if (!tasks.trigger(id)) {
                    throw new IllegalStateException(
                            "A node has claimed " + recurring(id).id() + "; trigger it when its run has ended");
                }
            }
            case "pause" -> {
                boolean ignored = tasks.pause(id);
            }
            case "resume" -> {
                boolean ignored = tasks.resume(id);
            }
            case "retime" -> {
                boolean ignored = tasks.retime(id, wanted.schedule().toSchedule(minInterval, Instant.now()));
            }
            default ->
                throw new IllegalArgumentException(
                        "action must be trigger, pause, resume or retime, was " + wanted.action());
        }
        RecurringTaskDescriptor after = recurring(id);
        return new SteeringLog.Steered<>(
                after, new Target("recurring durable task", null, id, null, null), textOf(before), textOf(after));
    }

    private static String textOf(RecurringTaskDescriptor task) {
        return task.state() + " " + task.schedule();
    }

    /** Steers some of the tasks that are found, and returns the result with the cursor for the rest. */
    private SteeringLog.Steered<OperationResponseBody> steerFound(Wanted wanted) {
        if (wanted.within() != null) {
            throw new IllegalArgumentException("within must only be given for one task");
        }
        Batches.Action action = switch (wanted.verb()) {
            case "retry" -> Batches.Action.RETRY;
            case "cancel" -> Batches.Action.CANCEL;
            case "reschedule" -> Batches.Action.RESCHEDULE;
            default ->
                throw new IllegalArgumentException(
                        "action must be retry, cancel or reschedule, was " + wanted.action());
        };
        Instant at = action == Batches.Action.RESCHEDULE ? parseInstant(wanted.at()) : null;
        Batches batches = new Batches(engine, lookup.tables(), lookup.search());
        Batches.Step step =
                batches.step(action, wanted.found().filter(), at, wanted.found().after());
        return new SteeringLog.Steered<>(
                new DurableBatchDescriptor(
                        step.done(),
                        step.gone(),
                        step.left().matching(),
                        step.left().isMore(),
                        step.after()),
                new Target(
                        "durable tasks",
                        null,
                        wanted.found().handler(),
                        null,
                        wanted.found().words()),
                wanted.found().words(),
                step.done() + " done, " + step.gone() + " gone, " + step.left().matching() + " left");
    }

    private SteeringLog.Steered<OperationResponseBody> steerOne(String handler, Wanted wanted) {
        String id = wanted.id();
        if (id == null) {
            throw new IllegalArgumentException("id must be given");
        }
        DurableTask before = one(handler, id);
        boolean isDone = switch (wanted.verb()) {
            case "retry" -> engine.retry(handler, id);
            case "cancel" ->
                wanted.within() == null
                        ? engine.cancel(handler, id)
                        : cancel(handler, id, parseWithin(wanted.within()));
            case "reschedule" -> engine.reschedule(handler, id, parseInstant(wanted.at()));
            default ->
                throw new IllegalArgumentException(
                        "action must be retry, cancel or reschedule, was " + wanted.action());
        };
        if (!isDone) {
            throw new IllegalStateException("Cannot " + wanted.verb() + " a task that is "
                    + one(handler, id).state() + ": " + handler + " " + id);
        }
        // It may have run by now.
        Optional<DurableTask> after = engine.find(handler, id);
        return new SteeringLog.Steered<>(
                DurableTaskDescriptor.of(after.orElse(before)),
                new Target("durable task", null, handler, id, null),
                textOf(before),
                after.map(DurableEndpoint::textOf).orElse("gone"));
    }

    /** True, or it fails with what has become of it. */
    private boolean cancel(String handler, String id, Duration within) {
        return switch (engine.cancel(handler, id, within)) {
            case CANCELLED, INTERRUPTED -> true;
            case RUNNING ->
                throw new IllegalStateException("Cancellation requested, but the task was still running after "
                        + exactly(within) + ": " + handler + " " + id);
            case UNHEARD ->
                throw new IllegalStateException(
                        "Cancellation requested, but the node that has claimed the task did not respond in time: "
                                + handler + " " + id);
            case ABSENT ->
                throw new IllegalStateException(
                        "There was nothing to cancel, as the task had already ended: " + handler + " " + id);
        };
    }

    private static Duration parseWithin(String text) {
        Duration within;
        try {
            within = DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException ex) {
            throw new IllegalArgumentException("within must be a duration such as 5s, was " + text, ex);
        }
        if (within.isNegative() || within.compareTo(LONGEST_WITHIN) > 0) {
            throw new IllegalArgumentException(
                    "within, the time that a cancel waits for the run to end, must be 0 to 1 minute, was " + text);
        }
        return within;
    }

    private static String textOf(DurableTask task) {
        return task.state() + " " + task.dueAt();
    }

    private DurableTask one(String handler, String id) {
        return engine.find(handler, id)
                .orElseThrow(() -> UnknownNameException.of("No durable task " + id + " of the handler " + handler));
    }

    private static Instant parseInstant(@Nullable String text) {
        try {
            return OffsetDateTime.parse(text == null ? "" : text).toInstant();
        } catch (DateTimeException ex) {
            throw new IllegalArgumentException("at must be an instant such as 2030-01-01T12:00:00Z, was " + text, ex);
        }
    }
}
