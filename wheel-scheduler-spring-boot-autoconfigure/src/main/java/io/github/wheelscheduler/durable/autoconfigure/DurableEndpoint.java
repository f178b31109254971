package io.github.wheelscheduler.durable.autoconfigure;

import static io.github.wheelscheduler.internal.DurationWords.exactly;

import io.github.wheelscheduler.autoconfigure.endpoint.EndpointAnswers;
import io.github.wheelscheduler.autoconfigure.endpoint.ScheduleTexts;
import io.github.wheelscheduler.autoconfigure.endpoint.SteeringLog;
import io.github.wheelscheduler.autoconfigure.endpoint.UnknownNameException;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.RecurringTasks;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.convert.DurationStyle;

/**
 * The endpoint {@code wheeldurable}. It shows durable tasks as the database has them, so the same on each node, and steers them for all
 * nodes. Write operations are off by default.
 */
@Endpoint(id = DurableEndpoint.ID, defaultAccess = Access.READ_ONLY)
public final class DurableEndpoint {

    static final String ID = "wheeldurable";
    static final int MAX_LIMIT = 500;
    private static final Duration LONGEST_WITHIN = Duration.ofMinutes(1);
    private static final int DEFAULT_LIMIT = 50;
    private static final String RECURRING = "recurring";
    private static final String TASKS = "tasks";

    private final SteeringLog log = new SteeringLog(LogFactory.getLog("io.github.wheelscheduler.durable"));
    private final DurableEngine engine;
    private final Duration minInterval;
    private final boolean steering;

    DurableEndpoint(DurableEngine engine, Duration minInterval, boolean steering) {
        this.engine = engine;
        this.minInterval = minInterval;
        this.steering = steering;
    }

    /** Returns what all nodes do, and the recurring tasks. */
    @ReadOperation
    public DurableDescriptor durable() {
        return DurableDescriptor.of(engine, steering);
    }

    /**
     * Returns a recurring task, or a page of the one-time tasks of a handler.
     *
     * @param segments the path: {@code recurring} or {@code tasks}, and the id of the recurring task, or the handler
     * @param sameKind what was said of the first once more, which must be the same; null for nothing
     * @param sameName the same of the others
     * @param state of the one-time tasks to show; null for all
     * @param after the id behind which the page begins; null for the first page
     * @param limit how many tasks to return at most, up to 500; null for 50
     * @throws UnknownNameException if there is no such kind or recurring task
     * @throws IllegalArgumentException if the state is none, or the limit out of range
     */
    OperationResponseBody some(
            Object segments,
            @Nullable String sameKind,
            @Nullable String sameName,
            @Nullable String state,
            @Nullable String after,
            @Nullable Integer limit) {
        String[] path = pathOf(segments, sameKind, sameName);
        String name = path[1];
        if (isRecurring(path[0])) {
            return recurring(name);
        }
        int atMost = limit == null ? DEFAULT_LIMIT : limit;
        if (atMost < 1 || atMost > MAX_LIMIT) {
            throw new IllegalArgumentException("limit must be between 1 and " + MAX_LIMIT + ", was " + limit);
        }
        List<DurableTask> page = engine.list(name, parseState(state), after, atMost);
        return new DurablePageDescriptor(
                page.stream().map(DurableTaskDescriptor::of).toList(),
                page.size() < atMost ? null : page.get(atMost - 1).id());
    }

    /**
     * A request as it was written; it may make no sense.
     *
     * @param action as {@link #steer} knows them
     * @param id of the one-time task
     * @param at the instant at which that is to be due
     * @param within how long to wait for the node that has it, if it is cancelled also then
     * @param schedule to re-time to
     */
    record Wanted(
            @Nullable String action,
            @Nullable String id,
            @Nullable String at,
            @Nullable String within,
            ScheduleTexts schedule) {

        String verb() {
            return action == null ? "" : action.toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Triggers, pauses, resumes or re-times a recurring task, or retries, cancels or reschedules a one-time task, for all nodes.
     *
     * @param who steers, for the log
     * @param segments the path: {@code recurring} or {@code tasks}, and the id of the recurring task, or the handler
     * @param sameKind what was said of the first once more, which must be the same; null for nothing
     * @param sameName the same of the others
     * @return the task as it is then, or as it was if it is gone
     * @throws UnknownNameException if there is no such kind or task
     * @throws IllegalArgumentException if there is no such action, or something is missing, bad, or not wanted
     * @throws IllegalStateException if it is too late, as a node has claimed it, or it has not failed
     */
    OperationResponseBody steer(
            String who, Object segments, @Nullable String sameKind, @Nullable String sameName, Wanted wanted) {
        String target = wanted.id() == null ? "durable" : "durable task " + wanted.id() + " of";
        return log.steer(who, wanted.action(), target, segments, () -> {
            String[] path = pathOf(segments, sameKind, sameName);
            if (!wanted.verb().equals("retime")) {
                wanted.schedule().requireNone();
            }
            return isRecurring(path[0]) ? steerRecurring(path[1], wanted) : steerOne(path[1], wanted);
        });
    }

    /**
     * Lets this node claim nothing more and run on, as before it is replaced, or lets it claim again.
     *
     * @param who steers, for the log
     * @return what all nodes do then
     * @throws IllegalArgumentException if there is no such action
     */
    OperationResponseBody steerNode(String who, @Nullable String action) {
        return log.steer(who, action, "durable node", engine.settings().node(), () -> {
            String before = stateOfNode();
            switch (action == null ? "" : action.toLowerCase(Locale.ROOT)) {
                case "drain" -> engine.drain();
                case "resume" -> engine.endDrain();
                default -> throw new IllegalArgumentException("action must be drain or resume, was " + action);
            }
            return new SteeringLog.Steered<OperationResponseBody>(durable(), before, stateOfNode());
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

    private static boolean isRecurring(String kind) {
        if (!kind.equals(RECURRING) && !kind.equals(TASKS)) {
            throw UnknownNameException.of("there are recurring and tasks here, was " + kind);
        }
        return kind.equals(RECURRING);
    }

    private RecurringTaskDescriptor recurring(String id) {
        return RecurringTaskDescriptor.of(engine.recurringTasks()
                .find(id)
                .orElseThrow(() -> UnknownNameException.of("id must be that of a recurring durable task, was " + id)));
    }

    private SteeringLog.Steered<OperationResponseBody> steerRecurring(String id, Wanted wanted) {
        if (wanted.id() != null || wanted.at() != null || wanted.within() != null) {
            throw new IllegalArgumentException("id, at and within must only be given for tasks");
        }
        RecurringTaskDescriptor before = recurring(id);
        RecurringTasks tasks = engine.recurringTasks();
        switch (wanted.verb()) {
            case "trigger" -> {
                if (!tasks.trigger(id)) {
                    throw new IllegalStateException("A task must not be claimed by a node when it is triggered, was "
                            + recurring(id).id());
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
        return new SteeringLog.Steered<>(after, textOf(before), textOf(after));
    }

    private static String textOf(RecurringTaskDescriptor task) {
        return task.state() + " " + task.schedule();
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
            throw new IllegalStateException("It cannot be done with a task that is "
                    + one(handler, id).state() + ": " + wanted.verb() + " " + handler + " " + id);
        }
        // It may have run by now.
        Optional<DurableTask> after = engine.find(handler, id);
        return new SteeringLog.Steered<>(
                DurableTaskDescriptor.of(after.orElse(before)),
                textOf(before),
                after.map(DurableEndpoint::textOf).orElse("gone"));
    }

    /** True, or it fails with what has become of it. */
    private boolean cancel(String handler, String id, Duration within) {
        return switch (engine.cancel(handler, id, within)) {
            case CANCELLED, INTERRUPTED -> true;
            case RUNNING ->
                throw new IllegalStateException(
                        "It is to end, but still ran after " + exactly(within) + ": " + handler + " " + id);
            case UNHEARD ->
                throw new IllegalStateException(
                        "It is to end, but the node that has it is not heard of: " + handler + " " + id);
            case ABSENT -> throw new IllegalStateException("Its run has ended by itself: " + handler + " " + id);
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
            throw new IllegalArgumentException("within must be 0 to 1 minute, was " + text);
        }
        return within;
    }

    private static String textOf(DurableTask task) {
        return task.state() + " " + task.dueAt();
    }

    private DurableTask one(String handler, String id) {
        return engine.find(handler, id)
                .orElseThrow(() -> UnknownNameException.of("id must be that of a task of " + handler + ", was " + id));
    }

    private static DurableTask.@Nullable State parseState(@Nullable String text) {
        if (text == null) {
            return null;
        }
        try {
            return DurableTask.State.valueOf(text.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException ex) {
            throw new IllegalArgumentException(
                    "state must be scheduled, claimed, failed or unreadable, was " + text, ex);
        }
    }

    private static Instant parseInstant(@Nullable String text) {
        try {
            return OffsetDateTime.parse(text == null ? "" : text).toInstant();
        } catch (DateTimeException ex) {
            throw new IllegalArgumentException("at must be an instant such as 2030-01-01T12:00:00Z, was " + text, ex);
        }
    }
}
