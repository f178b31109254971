package io.github.wheelscheduler.test;

import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTask.State;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.internal.TaskPayloads;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/** Assertions on the rows of one-time durable tasks. */
public final class DurableTasksAssert extends AbstractAssert<DurableTasksAssert, DurableTasks> {

    private static final int PAGE = 1_000;
    private static final int MOST_SHOWN = 10;
    private static final State[] PENDING = {State.SCHEDULED, State.CLAIMED, State.UNREADABLE};

    DurableTasksAssert(DurableTasks actual) {
        super(actual, DurableTasksAssert.class);
    }

    /**
     * Requires a task of that handler that is due in the future, or now, runs, or is tried again as no node could read
     * it.
     */
    public TaskAssert scheduled(String handler) {
        return new TaskAssert(actual, find(handler, "scheduled", PENDING));
    }

    /** Requires that no task of that handler waits, runs, or is tried again as no node could read it. */
    public DurableTasksAssert notScheduled(String handler) {
        List<DurableTask> found = all(handler, PENDING);
        if (!found.isEmpty()) {
            failWithMessage("No task of '%s' must be scheduled, but these are: %s", handler, describe(found));
        }
        return this;
    }

    /**
     * Requires the same of all handlers; recurring tasks do not count.
     *
     * @throws IllegalArgumentException if what is tested is no {@link DurableEngine}, which knows the handlers
     */
    public DurableTasksAssert nothingScheduled() {
        isNotNull();
        engine(actual).scheduledHandlers().forEach(this::notScheduled);
        return this;
    }

    private static DurableEngine engine(DurableTasks tasks) {
        if (tasks instanceof DurableEngine engine) {
            return engine;
        }
        throw new IllegalArgumentException(
                "tasks must be the DurableEngine of Wheel Scheduler, not a mock or a proxy, was " + tasks.getClass());
    }

    /** Requires a task of that handler that has failed for good. */
    public TaskAssert failed(String handler) {
        return new TaskAssert(actual, find(handler, "failed", State.FAILED));
    }

    private List<DurableTask> find(String handler, String what, State... states) {
        List<DurableTask> found = all(handler, states);
        if (found.isEmpty()) {
            List<DurableTask> own = all(handler, State.values());
            failWithMessage(
                    "A task of '%s' must be %s, but none is; its tasks are: %s%s",
                    handler, what, describe(own), own.isEmpty() ? whatElseIsScheduled() : "");
        }
        return found;
    }

    /** The name of the handler may be wrong, or the task is done. */
    private String whatElseIsScheduled() {
        return actual instanceof DurableEngine engine
                ? "; " + whatIsScheduled(engine) + ". A task that is done has no row, but assertThat(runs).ran(...) "
                        + "knows of its run"
                : "";
    }

    /** Returns the tasks of all handlers that wait or run, for a message. */
    static String whatIsScheduled(DurableEngine engine) {
        DurableTasksAssert tasks = new DurableTasksAssert(engine);
        List<String> handlers = engine.scheduledHandlers();
        return handlers.isEmpty()
                ? "nothing is scheduled"
                : handlers.stream()
                        .limit(MOST_SHOWN)
                        .map(name -> "'" + name + "' " + describe(tasks.all(name, PENDING)))
                        .collect(Collectors.joining(", ", "scheduled tasks: ", ""));
    }

    private List<DurableTask> all(String handler, State... states) {
        isNotNull();
        List<DurableTask> found = new ArrayList<>();
        for (State state : states) {
            String after = null;
            List<DurableTask> page;
            do {
                page = actual.list(handler, state, after, PAGE);
                found.addAll(page);
                after = page.isEmpty() ? null : page.get(page.size() - 1).id();
            } while (page.size() == PAGE);
        }
        return found;
    }

    private static String describe(List<DurableTask> tasks) {
        return describe(tasks, task -> "");
    }

    private static String describe(List<DurableTask> tasks, Function<DurableTask, String> more) {
        return tasks.stream()
                .limit(MOST_SHOWN)
                .map(task -> task.id() + " (" + task.state() + ", due at " + task.dueAt() + more.apply(task) + ")")
                .toList()
                .toString();
    }

    /** Assertions on tasks of a handler, of which at least one fits all that was asked for. */
    public static final class TaskAssert extends AbstractAssert<TaskAssert, List<DurableTask>> {

        private final DurableTasks tasks;

        private TaskAssert(DurableTasks tasks, List<DurableTask> fitting) {
            super(fitting, TaskAssert.class);
            this.tasks = tasks;
        }

        /** Requires that one of them has that id. */
        public TaskAssert withId(String id) {
            return only("must have the id " + id, "has", task -> task.id().equals(id));
        }

        /** Requires that one of them is due then. */
        public TaskAssert dueAt(Instant instant) {
            return only("must be due at " + instant, "is", task -> task.dueAt().equals(instant));
        }

        /**
         * Requires that one of them has that payload: it is written like this one, or equals it as its handler reads
         * it.
         *
         * @throws IllegalArgumentException if what is tested is no {@link DurableEngine}, which reads payloads
         */
        public TaskAssert payload(@Nullable Object payload) {
            TaskPayloads payloads = TaskPayloads.of(engine(tasks));
            List<DurableTask> left = actual.stream()
                    .filter(task -> payloads.isSame(task.handler(), task.id(), payload))
                    .toList();
            if (left.isEmpty()) {
                failWithMessage(
                        "A task of '%s' must have the payload %s, but none has; the payloads of the matching tasks "
                                + "are: %s",
                        actual.get(0).handler(),
                        payload,
                        actual.stream()
                                .limit(MOST_SHOWN)
                                .map(task -> task.id() + ": " + payloads.describe(task.handler(), task.id()))
                                .toList());
            }
            return new TaskAssert(tasks, left);
        }

        /** Requires that one of them has failed so often in a row. */
        public TaskAssert afterFailures(int failures) {
            return only(
                    "must have failed " + failures + " times",
                    "has",
                    task -> task.failures() == failures,
                    task -> ", failures: " + task.failures());
        }

        private TaskAssert only(String rule, String verb, Predicate<DurableTask> condition) {
            return only(rule, verb, condition, task -> "");
        }

        private TaskAssert only(
                String rule, String verb, Predicate<DurableTask> condition, Function<DurableTask, String> more) {
            List<DurableTask> left = actual.stream().filter(condition).toList();
            if (left.isEmpty()) {
                failWithMessage(
                        "A task of '%s' %s, but none %s; matching so far: %s",
                        actual.get(0).handler(), rule, verb, describe(actual, more));
            }
            return new TaskAssert(tasks, left);
        }
    }
}
