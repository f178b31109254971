package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.autoconfigure.endpoint.ScheduleTexts;
import io.github.wheelscheduler.autoconfigure.endpoint.UnknownNameException;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.RecurringTasks;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * The endpoint {@code wheeldurable}. It shows durable tasks as the database has them, so the same on each node, and steers them for all
 * nodes. Write operations are off by default.
 */
@Endpoint(id = "wheeldurable", defaultAccess = Access.READ_ONLY)
public final class DurableEndpoint {

    static final int MAX_LIMIT = 500;
    private static final int DEFAULT_LIMIT = 50;
    private static final String RECURRING = "recurring";
    private static final String TASKS = "tasks";

    private final DurableEngine engine;

    DurableEndpoint(DurableEngine engine) {
        this.engine = engine;
    }

    /** Returns what all nodes do, and the recurring tasks. */
    @ReadOperation
    public DurableDescriptor durable() {
        return DurableDescriptor.of(engine);
    }

    /**
     * Returns a recurring task, or a page of the one-time tasks of a handler.
     *
     * @param kind {@code recurring} or {@code tasks}
     * @param name the id of the recurring task, or the handler
     * @param state of the one-time tasks to show; null for all
     * @param after the id behind which the page begins; null for the first page
     * @param limit how many tasks to return at most, up to 500; null for 50
     * @throws UnknownNameException if there is no such kind or recurring task
     * @throws IllegalArgumentException if the state is none, or the limit out of range
     */
    @ReadOperation
    public OperationResponseBody some(
            @Selector String kind,
            @Selector String name,
            @Nullable String state,
            @Nullable String after,
            @Nullable Integer limit) {
        if (isRecurring(kind)) {
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
     * Triggers, pauses, resumes or re-times a recurring task, or retries, cancels or reschedules a one-time task, for all nodes.
     *
     * @param kind {@code recurring} or {@code tasks}
     * @param name the id of the recurring task, or the handler
     * @param action {@code trigger}, {@code pause}, {@code resume}, {@code retime}; {@code retry}, {@code cancel}, {@code reschedule}
     * @param id of the one-time task
     * @param at the instant to reschedule it to
     * @return the task as it is then, or as it was if it is gone
     * @throws UnknownNameException if there is no such kind or task
     * @throws IllegalArgumentException if there is no such action, or something is missing, bad, or not wanted
     * @throws IllegalStateException if it is too late, as a node has claimed it, or it has not failed
     */
    @WriteOperation
    public OperationResponseBody steer(
            @Selector String kind,
            @Selector String name,
            @Nullable String action,
            @Nullable String id,
            @Nullable String at,
            @Nullable String fixedRate,
            @Nullable String fixedDelay,
            @Nullable String cron,
            @Nullable String zone) {
        ScheduleTexts schedule = new ScheduleTexts(fixedRate, fixedDelay, cron, zone, null);
        String wanted = action == null ? "" : action.toLowerCase(Locale.ROOT);
        if (!wanted.equals("retime")) {
            schedule.requireNone();
        }
        if (isRecurring(kind)) {
            if (id != null || at != null) {
                throw new IllegalArgumentException("id and at must only be given for tasks");
            }
            steerRecurring(name, wanted, action, schedule);
            return recurring(name);
        }
        if (id == null) {
            throw new IllegalArgumentException("id must be given");
        }
        return steerOne(name, id, wanted, action, at);
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

    private void steerRecurring(String id, String wanted, @Nullable String action, ScheduleTexts schedule) {
        RecurringTasks tasks = engine.recurringTasks();
        switch (wanted) {
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
                boolean ignored = tasks.retime(id, schedule.toSchedule());
            }
            default ->
                throw new IllegalArgumentException("action must be trigger, pause, resume or retime, was " + action);
        }
    }

    private DurableTaskDescriptor steerOne(
            String handler, String id, String wanted, @Nullable String action, @Nullable String at) {
        DurableTask before = one(handler, id);
        boolean isDone = switch (wanted) {
            case "retry" -> engine.retry(handler, id);
            case "cancel" -> engine.cancel(handler, id);
            case "reschedule" -> engine.reschedule(handler, id, parseInstant(at));
            default -> throw new IllegalArgumentException("action must be retry, cancel or reschedule, was " + action);
        };
        if (!isDone) {
            throw new IllegalStateException("It cannot be done with a task that is "
                    + one(handler, id).state() + ": " + wanted + " " + handler + " " + id);
        }
        // It may have run by now.
        return DurableTaskDescriptor.of(engine.find(handler, id).orElse(before));
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
            throw new IllegalArgumentException("state must be scheduled, claimed or failed, was " + text, ex);
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
