package io.github.wheelscheduler.durable.internal.journal;

import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.DurableTasks.Cancellation;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.internal.spring.task.NamedSteering;
import io.github.wheelscheduler.spring.steering.Steering;
import io.github.wheelscheduler.spring.steering.Steering.Target;
import io.github.wheelscheduler.spring.steering.SteeringListener;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells listeners of calls in Java that steer durable tasks and were given a name, after the commit of their
 * transaction. Without a listener or a name, nothing is asked of the database. Any thread.
 */
public final class DurableSteering {

    private final NamedSteering named = new NamedSteering();
    private final Supplier<Tables> tables;

    /** @param tables where the states of tasks are */
    public DurableSteering(Supplier<Tables> tables) {
        this.tables = tables;
    }

    public void add(SteeringListener listener) {
        named.add(listener);
    }

    public void remove(SteeringListener listener) {
        named.remove(listener);
    }

    /** Steers a one-time task; false of the call means that it was refused. */
    public boolean ofTask(String action, String handler, String id, Supplier<Boolean> call) {
        return ofTask(
                action,
                handler,
                id,
                call,
                isDone -> isDone
                        ? null
                        : find(handler, id)
                                .map(task -> "Cannot " + action + " a task that is " + task.state() + ": " + handler
                                        + " " + id)
                                .orElseGet(() -> "No durable task " + id + " of the handler " + handler));
    }

    /** Cancels a one-time task, and waits for its node. */
    public Cancellation cancel(String handler, String id, Supplier<Cancellation> call) {
        return ofTask("cancel", handler, id, call, result -> switch (result) {
            case CANCELLED, INTERRUPTED -> null;
            case RUNNING -> "Cancellation requested, but the task was still running: " + handler + " " + id;
            case UNHEARD ->
                "Cancellation requested, but the node that has claimed the task does not respond: " + handler + " "
                        + id;
            case ABSENT -> "The run had already ended, or there was none: " + handler + " " + id;
        });
    }

    private <T> T ofTask(
            String action, String handler, String id, Supplier<T> call, Function<T, @Nullable String> refusal) {
        return named.steer(
                action,
                new Target("durable task", null, handler, id, null),
                () -> orUnknown(() -> find(handler, id)
                        .map(task -> task.state() + " " + task.dueAt())
                        .orElse(null)),
                call,
                result -> orUnknown(() -> refusal.apply(result)),
                this::tell);
    }

    private Optional<DurableTask> find(String handler, String id) {
        return tables.get().tasks().find(handler, id);
    }

    /**
     * Steers a recurring task. False of the call means that it was refused, or that nothing had to be changed.
     *
     * @param refused why it is refused if there is such a task; null if nothing had to be changed
     */
    public boolean ofRecurring(String action, String id, @Nullable String refused, Supplier<Boolean> call) {
        return ofRecurring(
                action,
                id,
                call,
                isDone -> isDone
                        ? null
                        : tables.get().recurring().find(id).isPresent()
                                ? refused
                                : "No recurring durable task named " + id);
    }

    /** Makes or changes a recurring task. */
    public <T> T ofRecurring(String action, String id, Supplier<T> call) {
        return ofRecurring(action, id, call, result -> null);
    }

    private <T> T ofRecurring(String action, String id, Supplier<T> call, Function<T, @Nullable String> refusal) {
        return named.steer(
                action,
                new Target("recurring durable task", null, id, null, null),
                () -> orUnknown(() -> tables.get()
                        .recurring()
                        .find(id)
                        .map(DurableSteering::textOf)
                        .orElse(null)),
                call,
                result -> orUnknown(() -> refusal.apply(result)),
                this::tell);
    }

    private static String textOf(RecurringTask task) {
        String state = task.isPaused()
                ? "PAUSED"
                : task.dueAt() == null ? "ENDED" : task.owner() != null ? "CLAIMED" : "SCHEDULED";
        return state + " " + task.schedule();
    }

    /** Steers this node. */
    public void ofNode(String action, Supplier<@Nullable String> state, Runnable call) {
        Object ignored =
                named.<@Nullable Object>steer(action, new Target("durable node", null, null, null, null), state, () -> {
                    call.run();
                    return null;
                });
    }

    /** A database that does not tell prevents no steering. */
    private static @Nullable String orUnknown(Supplier<@Nullable String> text) {
        try {
            return text.get();
        } catch (RuntimeException ex) {
            return "unknown";
        }
    }

    private void tell(Supplier<Steering> steering) {
        Steering told = steering.get();
        if (told.isRefused()) {
            named.tell(() -> told);
        } else {
            String to = Objects.requireNonNullElse(told.to(), "gone");
            AfterCommit.run(
                    () -> named.tell(() -> with(told, to, null)), why -> named.tell(() -> with(told, null, why)));
        }
    }

    private static Steering with(Steering told, @Nullable String to, @Nullable String refusal) {
        return new Steering(
                told.channel(), told.who(), told.action(), told.target(), told.from(), to, told.reason(), refusal);
    }
}
