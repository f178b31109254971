package io.github.wheelscheduler.durable.internal.operator;

import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Does something to all tasks that a filter finds, some at a time. The answer alone says how to go on, so any node does
 * the next step. A retry leaves out what has failed since the first step; errors are those of the tasks that were the
 * newest then. Any thread.
 */
public final class Batches {

    /** So many tasks a step changes at most. */
    public static final int MOST = 500;

    private final DurableTasks tasks;
    private final Tables tables;
    private final RowSearch search;

    /** Makes one. */
    public Batches(DurableTasks tasks, Tables tables, RowSearch search) {
        this.tasks = tasks;
        this.tables = tables;
        this.search = search;
    }

    /** The action. */
    public enum Action {
        RETRY,
        CANCEL,
        RESCHEDULE;

        /** Whether it can be done to tasks in a state. */
        public boolean isFor(DurableTask.State state) {
            return switch (state) {
                case SCHEDULED -> this != RETRY;
                case FAILED, UNREADABLE -> this != RESCHEDULE;
                case CLAIMED -> false;
            };
        }
    }

    /**
     * The result of a step.
     *
     * @param done the number of tasks that were changed
     * @param gone the number of tasks that were found, but were then gone or in another state
     * @param left the number of tasks that are left
     * @param after the {@code after} of the next step; null if this was the last one
     */
    public record Step(
            int done,
            int gone,
            FoundTasks.Count left,
            @Nullable String after) {}

    /**
     * Does a step.
     *
     * @param at the time at which rescheduled tasks are to be due; else null
     * @param after the {@code after} of the step before; null for the first one
     * @throws IllegalArgumentException if the filter has no state that the action is for, or {@code after} is none of a
     *     step
     */
    public Step step(Action action, RowFilter filter, @Nullable Instant at, @Nullable String after) {
        DurableTask.State state = filter.isOfErrors() ? DurableTask.State.FAILED : filter.state();
        if (state == null || !action.isFor(state)) {
            List<DurableTask.State> possible =
                    Stream.of(DurableTask.State.values()).filter(action::isFor).toList();
            throw new IllegalArgumentException("state must be one of " + possible + " for "
                    + action.name().toLowerCase(Locale.ROOT) + ", was " + state);
        }
        // Databases keep no more of it.
        Instant dueAt = at == null ? null : at.truncatedTo(ChronoUnit.MICROS);
        RowFilter bounded;
        String place = null;
        if (after == null || after.isEmpty()) {
            bounded = search.bounded(
                    filter, action == Action.RETRY ? tables.tasks().now() : null);
        } else {
            List<String> parts = Place.split(after, 3);
            bounded = filter.bounded(Place.instant(parts.get(0), after), Place.instant(parts.get(1), after));
            place = parts.get(2);
        }
        bounded = bounded.notDueAt(dueAt);
        FoundTasks found = search.find(bounded, place, MOST);
        int done = 0;
        for (DurableTask task : found.tasks()) {
            done += isDone(action, task, dueAt) ? 1 : 0;
        }
        String next = found.after();
        return new Step(
                done,
                found.tasks().size() - done,
                next == null ? new FoundTasks.Count(0, false) : search.count(bounded, next),
                next == null
                        ? null
                        : Place.join(
                                List.of(Place.textOf(bounded.failedUntil()), Place.textOf(bounded.dueFrom()), next)));
    }

    private boolean isDone(Action action, DurableTask task, @Nullable Instant at) {
        return switch (action) {
            case RETRY -> tasks.retry(task.handler(), task.id());
            case CANCEL -> tasks.cancel(task.handler(), task.id());
            case RESCHEDULE ->
                tasks.reschedule(task.handler(), task.id(), Objects.requireNonNull(at, "at must not be null"));
        };
    }
}
