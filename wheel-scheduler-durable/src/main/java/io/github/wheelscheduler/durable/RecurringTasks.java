package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.durable.internal.Arguments;
import io.github.wheelscheduler.durable.internal.Database;
import io.github.wheelscheduler.durable.internal.DurableNode;
import io.github.wheelscheduler.durable.internal.Handler;
import io.github.wheelscheduler.durable.internal.Handler.Handlers;
import io.github.wheelscheduler.durable.internal.RecurringTable;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Recurring tasks, seen and steered for all nodes at once. What is said here stands in the database: it holds after a restart, too, and takes
 * part in Spring's transaction. A node that has claimed a run already, up to a second before it is due, still runs it. All methods ask the database, and throw what Spring makes of its errors. Any
 * thread.
 */
public final class RecurringTasks {

    private final Database database;
    private final Handlers handlers;
    private final DurableNode node;

    RecurringTasks(Database database, Handlers handlers, DurableNode node) {
        this.database = database;
        this.handlers = handlers;
        this.node = node;
    }

    /** Returns the recurring tasks in the database by id, up to 10,000; the ones that this node does not know, too. */
    public List<RecurringTask> list() {
        return database.tables().recurring().list();
    }

    public Optional<RecurringTask> find(String id) {
        return database.tables().recurring().find(id);
    }

    /**
     * Runs it once more, now, on whichever node claims that first. Its other runs are as before. It may be paused.
     *
     * @return false if a node has it already, which is about to run it or does so; or there is none of that id
     */
    public boolean trigger(String id) {
        return announced(database.tables().recurring().trigger(id), id, node.now());
    }

    /**
     * Lets it run no more at its times, on no node, until it is {@linkplain #resume resumed}.
     *
     * @return false if it is paused already, or there is none of that id
     */
    public boolean pause(String id) {
        return database.tables().recurring().pause(id);
    }

    /**
     * Ends a {@linkplain #pause pause}. What has passed meanwhile is not made up for, if this node knows the task or it has been re-timed.
     *
     * @return false if it is not paused, or there is none of that id
     */
    public boolean resume(String id) {
        Handler<?> handler = handlers.find(Handler.RECURRING + id);
        @Nullable Recurrence declared = handler == null ? null : handler.recurrence();
        boolean isResumed = database.tables()
                .recurring()
                .resume(id, declared, database.tables().tasks().now());
        return announced(isResumed, id, node.now());
    }

    /**
     * Gives it another schedule, which holds until its method is deployed with another one. A fixed rate and a fixed delay begin to count now.
     * A cron without a zone is meant in the one that the task's cron had, or else in that of this machine.
     *
     * @return false if there is none of that id
     * @throws IllegalArgumentException if the schedule is neither a cron expression, a fixed rate nor a fixed delay, never comes, or says what happens when clocks change
     */
    public boolean retime(String id, TaskSchedule schedule) {
        Objects.requireNonNull(schedule, "schedule must not be null");
        if (schedule instanceof TaskSchedule.Cron cron && (cron.gap() != null || cron.overlap() != null)) {
            throw new IllegalArgumentException(
                    "schedule must leave to Spring what happens when clocks change, was " + cron);
        }
        Instant now = database.tables().tasks().now();
        ScheduleRecurrence recurrence =
                ScheduleRecurrence.of(schedule.isCron() ? schedule.meantIn(zoneOf(id)) : schedule, null);
        // Other nodes read the text.
        ScheduleRecurrence ignored = RecurringTable.parse(recurrence.text());
        Instant first = schedule.isCron()
                ? recurrence.first(now)
                : now.plus(Objects.requireNonNull(schedule.intervalAfter(now)));
        if (first == null) {
            throw new IllegalArgumentException("schedule must come some time, was " + recurrence.text());
        }
        Arguments.requireTime(first);
        return announced(database.tables().recurring().retime(id, recurrence.text(), first), id, first);
    }

    private boolean announced(boolean isChanged, String id, Instant dueAt) {
        if (isChanged) {
            node.due(Handler.RECURRING + id, List.of(dueAt));
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
