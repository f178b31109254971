package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.durable.internal.Arguments;
import io.github.wheelscheduler.durable.internal.Database;
import io.github.wheelscheduler.durable.internal.DurableNode;
import io.github.wheelscheduler.durable.internal.Handler;
import io.github.wheelscheduler.durable.internal.Handler.Handlers;
import io.github.wheelscheduler.durable.internal.MadeTasks;
import io.github.wheelscheduler.durable.internal.RecurringTable;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Recurring tasks, made, seen and steered for all nodes at once: those of methods with {@link Durable}, and the ones
 * made at run time. Changes are rows in the database: they survive a restart and take part in Spring's transaction. A
 * node that has claimed a run already, up to a second before it is due, still runs it. All methods ask the database,
 * and throw what Spring makes of its errors. Any thread.
 */
public final class RecurringTasks {

    private static final int MOST = 10_000;

    private final Database database;
    private final Handlers handlers;
    private final DurableNode node;
    private final MadeTasks made;

    RecurringTasks(Database database, Handlers handlers, DurableNode node) {
        this.database = database;
        this.handlers = handlers;
        this.node = node;
        this.made = new MadeTasks(node);
    }

    /**
     * Returns the first 10,000 recurring tasks in the database by id, also ones that this node does not know. A failure
     * has its first 500 characters; {@link #find} returns all of it.
     */
    public List<RecurringTask> list() {
        return list(null, MOST);
    }

    /**
     * Returns a page of the recurring tasks in the database by id, in the order of the database. A failure has its
     * first 500 characters.
     *
     * @param afterId the last id of the page before; null for the first page
     * @param limit the maximum number of tasks, 1 to 10,000
     * @throws IllegalArgumentException if an argument is out of its range
     */
    public List<RecurringTask> list(@Nullable String afterId, int limit) {
        Arguments.requireLimit(limit);
        if (afterId != null) {
            Arguments.requireName("afterId", afterId);
        }
        return database.tables().recurring().page(afterId == null ? "" : afterId, limit);
    }

    public Optional<RecurringTask> find(String id) {
        Arguments.requireText("id", id);
        return database.tables().recurring().find(id);
    }

    /**
     * Makes a recurring task, or changes the one of that id, for all nodes. It runs until it is {@linkplain #end
     * ended}, with the retries, limits and outcomes of its handler. When a run is given up, the next one comes at its
     * time.
     *
     * <p>Where the schedule is the same as before, the time of the next run stays, and so does a {@linkplain #retime
     * re-timed} schedule; another schedule replaces both. A run that is due, goes on, or waits for a retry comes first.
     * A run that a node has claimed keeps its payload.
     *
     * @param handler a name that some node has a handler for; not necessarily this one. Until then, the task waits
     * @return whether it is new or changed; the caller's transaction can go on in each case
     * @throws IllegalArgumentException if handler, id or schedule is invalid; if the schedule never fires, or has rules
     *     for clock changes; if the payload cannot be written. Also if a method with {@link Durable} has the id, or if
     *     no node has the handler and that {@linkplain DurableSettings.UnknownHandlers is to fail}
     */
    public Change schedule(String handler, RecurringRequest request) {
        Objects.requireNonNull(request, "request must not be null");
        return node.steering().ofRecurring("schedule", request.id(), () -> made.schedule(handler, request));
    }

    /**
     * Makes or changes a recurring task. A single run catches up for all missed ones, and the task begins now, or at
     * the first time of its cron.
     *
     * @return as {@link #schedule(String, RecurringRequest)}
     */
    public Change schedule(String handler, String id, TaskSchedule schedule, @Nullable Object payload) {
        return schedule(handler, new RecurringRequest(id, schedule, payload));
    }

    /** The outcome of {@link #schedule}. */
    public enum Change {
        /** There was none of that id, and now there is. */
        ADDED,
        /** There was one, and it has another handler, schedule or payload now. */
        CHANGED,
        /** It is as it was. */
        UNCHANGED
    }

    /**
     * Ends a recurring task that was made at run time. A run that a node has claimed is not interrupted, and is the
     * last one.
     *
     * @return false if there is none of that id, or a method with {@link Durable} has it
     */
    public boolean end(String id) {
        return node.steering()
                .ofRecurring("end", id, "A @Durable method has it, so it cannot be ended: " + id, () -> made.end(id));
    }

    /**
     * Runs it once more, now, on whichever node claims that first. Its other runs are as before. It may be paused.
     *
     * @return false if a node has it already, which is about to run it or does so; or there is none of that id
     */
    public boolean trigger(String id) {
        Arguments.requireText("id", id);
        return node.steering()
                .ofRecurring(
                        "trigger",
                        id,
                        "A node has claimed " + id + "; trigger it when its run has ended",
                        () -> announced(database.tables().recurring().trigger(id), id, node.now()));
    }

    /**
     * Lets it run no more at its times, on no node, until it is {@linkplain #resume resumed}.
     *
     * @return false if it is paused already, or there is none of that id
     */
    public boolean pause(String id) {
        Arguments.requireText("id", id);
        return node.steering()
                .ofRecurring(
                        "pause", id, null, () -> database.tables().recurring().pause(id));
    }

    /**
     * Ends a {@linkplain #pause pause}. Runs that were due meanwhile are not caught up if this node knows the task or
     * the task has been re-timed.
     *
     * @return false if it is not paused, or there is none of that id
     */
    public boolean resume(String id) {
        Arguments.requireText("id", id);
        return node.steering().ofRecurring("resume", id, null, () -> resumed(id));
    }

    private boolean resumed(String id) {
        Handler<?> handler = handlers.find(Handler.RECURRING + id);
        @Nullable Recurrence declared = handler == null ? null : handler.recurrence();
        boolean isResumed = database.tables()
                .recurring()
                .resume(id, declared, database.tables().tasks().now());
        return announced(isResumed, id, node.now());
    }

    /**
     * Gives it another schedule, which holds until its method is deployed, or its code makes it, with another one. A
     * fixed rate and a fixed delay begin to count now.
     * A cron without a zone is meant in the one that the task's cron had, or else in that of this machine.
     *
     * @return false if there is none of that id
     * @throws IllegalArgumentException if the schedule is neither a cron expression, a fixed rate nor a fixed delay,
     *     never comes, or says what happens when clocks change
     */
    public boolean retime(String id, TaskSchedule schedule) {
        Arguments.requireText("id", id);
        return node.steering().ofRecurring("retime", id, null, () -> retimed(id, schedule));
    }

    private boolean retimed(String id, TaskSchedule schedule) {
        Instant now = database.tables().tasks().now();
        ScheduleRecurrence recurrence = RecurringTable.readable(schedule, zoneOf(id));
        Instant first = schedule.isCron()
                ? recurrence.first(now)
                : Arguments.perhapsBeyond(now, Objects.requireNonNull(schedule.intervalAfter(now)));
        if (first == null) {
            throw new IllegalArgumentException("schedule must have a next run, was " + recurrence.text());
        }
        Arguments.requireTime(first);
        return announced(database.tables().recurring().retime(id, recurrence.text(), first), id, first);
    }

    private boolean announced(boolean isChanged, String id, Instant dueAt) {
        if (isChanged) {
            String handler = find(id).map(RecurringTask::handler).orElse(null);
            node.due(handler == null ? Handler.RECURRING + id : handler, List.of(dueAt));
        }
        return isChanged;
    }

    private ZoneId zoneOf(String id) {
        try {
            return find(id).map(task -> RecurringTable.parse(task.schedule()).zone())
                    .orElseGet(ZoneId::systemDefault);
        } catch (IllegalArgumentException ex) {
            // Another release has written it.
            return ZoneId.systemDefault();
        }
    }
}
