package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.RecurringRequest;
import io.github.wheelscheduler.durable.RecurringTasks.Change;
import io.github.wheelscheduler.durable.ScheduleRecurrence;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.MadeTable.Ended;
import io.github.wheelscheduler.durable.internal.row.MadeSchedule;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;

/** Recurring tasks that are made at run time, as users make and end them. Any thread. */
public final class MadeTasks {

    private final DurableNode node;

    public MadeTasks(DurableNode node) {
        this.node = node;
    }

    /** Makes or changes one, as {@link io.github.wheelscheduler.durable.RecurringTasks#schedule} says. */
    public Change schedule(String handler, RecurringRequest request) {
        Arguments.requireNewHandler(handler);
        String id = Objects.requireNonNull(request, "request must not be null").id();
        Arguments.requireRecurringId(id);
        ScheduleRecurrence recurrence = RecurringTable.readable(request.schedule(), ZoneId.systemDefault());
        node.requireKnown(handler);
        byte[] payload = node.context.write(handler, request.payload());
        Tables tables = node.database.tables();
        Instant now = tables.tasks().now();
        Instant first = request.firstAt() == null ? recurrence.first(now) : request.firstAt();
        if (first == null) {
            throw new IllegalArgumentException("schedule must have a next run, was " + recurrence.text());
        }
        Arguments.requireTime(first);
        if (node.isDeclared(id)) {
            throw new IllegalArgumentException("id must not be that of a @Durable method, was '" + id + "'");
        }
        MadeSchedule schedule = new MadeSchedule(recurrence.text(), request.missed() == Durable.Missed.SKIP);
        Change change = tables.made().put(handler, id, schedule, payload, first, now);
        if (change != Change.UNCHANGED) {
            node.context.handlers().areMade = true;
            node.due(handler, List.of(first));
        }
        return change;
    }

    /** Ends one; false if there is none. */
    public boolean end(String id) {
        Arguments.requireRecurringId(id);
        Ended ended = node.database.tables().made().end(id);
        if (ended != null && !ended.isClaimed()) {
            node.context.listeners().tellCancelled(ended.handler(), id);
        }
        return ended != null;
    }
}
