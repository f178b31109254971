package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;
import static io.github.wheelscheduler.durable.internal.RecurringTable.IS_FREE;
import static io.github.wheelscheduler.durable.internal.RecurringTable.NAME;
import static io.github.wheelscheduler.durable.internal.RecurringTable.ONE;

import io.github.wheelscheduler.durable.internal.row.RowState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rows of recurring tasks, as nodes declare them. A row has the schedule that was declared last. The column {@code
 * replaced} has the one before. It comes back only when no live node declares the present one, so nodes of both
 * schedules do not take turns.
 */
record DeclaredTable(Sql sql, Dialect dialect, TaskTable tasks, NodeTable nodes) {

    /** Users have not steered it. */
    static final String MAY_GO = IS_FREE + " and paused = false and schedule is null and regular_time is null";

    /**
     * Makes the row of a recurring task, or gives it another schedule. A run that is overdue stays due, unless the
     * schedule never fires; so does one that was triggered, and one that a node has claimed.
     *
     * @param first when the schedule fires first; null for never
     * @return false if that has to be tried again
     */
    boolean plant(String id, String schedule, @Nullable Instant first, Instant now) {
        Row row = sql.first(
                "select task_data, replaced, execution_time, regular_time, state, version from {task}" + ONE,
                this::read,
                id);
        if (row == null) {
            // Looked for before: the driver of MariaDB logs an insert that fails.
            boolean isInserted = insert(id, schedule, first, now);
            if (isInserted) {
                reportEnd(id, schedule, first, null);
            }
            return isInserted;
        }
        if (row.schedule.equals(schedule)) {
            return true;
        }
        if (schedule.equals(row.replaced) && nodes.declares(id, row.schedule)) {
            LOGGER.info("The schedule of the durable task " + id + " on this node, "
                    + RecurringTable.inWords(schedule) + ", has been replaced by "
                    + RecurringTable.inWords(row.schedule) + ", which counts as long as a living node declares it");
            return true;
        }
        boolean isReplaced = row.state == RowState.CLAIMED
                ? replaceClaimed(id, schedule, first, row, now)
                : replace(id, schedule, first, row, now);
        if (isReplaced) {
            reportEnd(id, schedule, first, row.isOverdue(now) ? row.at : null);
        }
        return isReplaced;
    }

    private static void reportEnd(String id, String schedule, @Nullable Instant first, @Nullable Instant dropped) {
        if (first == null) {
            LOGGER.warn("The durable task " + id + " does not run, as its schedule never fires: "
                    + RecurringTable.inWords(schedule)
                    + (dropped == null ? "" : "; the run that was due at " + dropped + " is dropped"));
        }
    }

    private boolean insert(String id, String schedule, @Nullable Instant first, Instant now) {
        byte[] data = RecurringTable.bytes(schedule);
        return first == null
                ? tasks.insertEnded(Handler.RECURRING, id, data, now)
                : tasks.insert(Handler.RECURRING, id, data, first);
    }

    /**
     * The run that a node has claimed stays, and its end asks the new schedule, if any node can read it; else it is
     * waited for. The new schedule does not fire before its first time, which its text does not say.
     */
    private boolean replaceClaimed(String id, String schedule, @Nullable Instant first, Row row, Instant now) {
        Instant regularAt = first != null && first.isAfter(now) ? first : row.regularAt;
        return RecurringTable.isReadable(schedule)
                && sql.changes(
                        "update {task} set task_data = ?, schedule = null, replaced = ?, regular_time = ?" + ONE
                                + " and version = ?",
                        RecurringTable.bytes(schedule),
                        row.schedule,
                        sql.timeOrNull(regularAt),
                        id,
                        row.version);
    }

    private boolean replace(String id, String schedule, @Nullable Instant first, Row row, Instant now) {
        boolean isTriggered = row.regularAt != null;
        Instant next = Objects.requireNonNullElse(first, now);
        boolean keepsTime = isTriggered || (first != null && row.isOverdue(now));
        // A rate that begins later does so after the run that is overdue; its text does not say when. The row is like
        // that of a triggered run, so the cause of that run is by hand.
        boolean waits = isTriggered || (keepsTime && next.isAfter(now) && schedule.startsWith("fixed-"));
        String state = isTriggered ? "state" : first == null ? String.valueOf(RowState.ENDED) : RecurringTable.BY_PAUSE;
        return sql.changes(
                "update {task} set task_data = ?, schedule = null, replaced = ?, execution_time = ?, regular_time = ?,"
                        + " state = " + state + ", version = {next}" + ONE + " and version = ?",
                RecurringTable.bytes(schedule),
                row.schedule,
                dialect.time(keepsTime ? row.at : next),
                // After a run that was triggered, a time that has passed asks the schedule.
                waits ? dialect.time(next) : null,
                id,
                row.version);
    }

    private Row read(ResultSet row, int number) throws SQLException {
        return new Row(
                RecurringTable.declared(row),
                row.getString("replaced"),
                dialect.dueAt(row),
                dialect.instant(row, "regular_time"),
                row.getInt("state"),
                row.getLong("version"));
    }

    /** A row as it is before it is given another schedule. */
    private record Row(
            String schedule,
            @Nullable String replaced,
            Instant at,
            @Nullable Instant regularAt,
            int state,
            long version) {

        boolean isOverdue(Instant now) {
            return state == RowState.WAITING && regularAt == null && !at.isAfter(now);
        }
    }

    /** Returns the declared schedules of the recurring tasks in the database, by id. */
    Map<String, String> schedules() {
        Map<String, String> schedules = new HashMap<>();
        List<String> ignored = sql.query("select task_instance, task_data from {task} where " + NAME, (row, number) -> {
            String unused = schedules.put(row.getString(1), RecurringTable.declared(row));
            return row.getString(1);
        });
        return schedules;
    }

    /** Whether there is one of that id, whichever node declares it. */
    public boolean isThere(String id) {
        return sql.finds("select 1 from {task}" + ONE, id);
    }

    /** Says of tasks that a node knows them, unless that has been said within some time. */
    void know(List<String> ids, Duration within) {
        int ignored = sql.updateEach(
                "update {task} set known_at = {now}" + ONE + " and (known_at is null or known_at < " + dialect.earlier()
                        + ")",
                ids.stream().map(id -> new Object[] {id, within.toMillis()}).toList());
    }

    /** Returns the ids of tasks that no node has known for some time, but for tasks that users have steered. */
    List<String> unknown(Duration time) {
        return sql.query(
                "select task_instance from {task} where " + NAME + isGone(),
                (row, number) -> row.getString(1),
                time.toMillis());
    }

    /**
     * Deletes the ones of some tasks that no node has known for some time; returns how many. One by one: MariaDB locks
     * all that a statement reads.
     */
    int forget(List<String> ids, Duration time) {
        int deleted = 0;
        for (String id : ids) {
            deleted += sql.update("delete from {task}" + ONE + isGone(), id, time.toMillis());
        }
        return deleted;
    }

    private String isGone() {
        return MAY_GO + " and known_at < " + dialect.earlier();
    }
}
