package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;
import static io.github.wheelscheduler.durable.internal.RowKey.OURS;

import io.github.wheelscheduler.durable.RecurringTasks.Change;
import io.github.wheelscheduler.durable.internal.RecurringTable.RunEnd;
import io.github.wheelscheduler.durable.internal.row.MadeSchedule;
import io.github.wheelscheduler.durable.internal.row.RowState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rows of recurring tasks that are made at run time. Such a row has the payload of a task, in {@code made_for} its
 * handler, and in {@code declared} the {@linkplain MadeSchedule schedule} as the code says it; what users have steered
 * is in the columns of all recurring tasks. {@code first_time} is when a run that is tried again was due at first, from
 * which the schedule goes on. Nodes of layout 1 neither claim, change nor forget such a row, as no handler has its
 * name.
 *
 * @param tasks insert rows
 */
public record MadeTable(Sql sql, Dialect dialect, TaskTable tasks) {

    static final String NAME = "task_name = '" + Handler.MADE + "'";

    /** Not the ones that are gone for users: one ends with the run that goes on. */
    static final String IS_THERE =
            " t.state <> " + RowState.ENDED + " and (asked_to_end is null or asked_to_end = false)";

    static final String NOT_ASKED = " and (asked_to_end is null or asked_to_end = false)";

    private static final String ONE = " where " + NAME + " and task_instance = ?";
    private static final String SELECT = "select task_instance, made_for, declared, schedule, task_data,"
            + " execution_time, first_time, regular_time, state, asked_to_end, version, consecutive_failures,"
            + " earlier_attempts, last_success, last_failure from {task} t";
    private static final Duration UNREADABLE_PAUSE = Duration.ofHours(1);

    // For users

    /** Whether there is one of that id. */
    public boolean isThere(String id) {
        return sql.finds("select 1 from {task} t" + ONE + " and" + IS_THERE, id);
    }

    /** Returns those of some ids that are there. */
    Set<String> among(Collection<String> ids) {
        return ids.isEmpty()
                ? Set.of()
                : new HashSet<>(sql.query(
                        "select task_instance from {task} t where " + NAME + " and task_instance in ("
                                + Dialect.placeholders(ids.size()) + ") and" + IS_THERE,
                        (row, number) -> row.getString(1),
                        ids.toArray()));
    }

    /** Whether there are any. */
    boolean areThere() {
        return sql.finds("select 1 from {task} where " + NAME + " limit 1");
    }

    /**
     * Makes a row, or changes it. A row is locked to be read. Otherwise a transaction of the caller's that has read
     * before would see its old version for ever. Only an existing row is locked, as MariaDB locks the gap around a
     * missing one.
     *
     * @param first when the first run is due of a schedule that is new
     */
    Change put(String handler, String id, MadeSchedule schedule, byte[] payload, Instant first, Instant now) {
        Row seen = sql.first(SELECT + ONE, this::read, id);
        if (seen != null && seen.isSame(handler, schedule, payload) && sql.readsLatest()) {
            // Without a lock, so that the end of a run need not wait for a caller that changes nothing.
            return Change.UNCHANGED;
        }
        boolean isThere = seen != null;
        while (true) {
            if (!isThere
                    && tasks.insertOnce(
                            dialect.insertMade(),
                            Handler.MADE,
                            id,
                            payload,
                            TaskTable.firstVersion(),
                            dialect.time(first),
                            handler,
                            schedule.text())) {
                return Change.ADDED;
            }
            Row row = sql.first(SELECT + ONE + " for update", this::read, id);
            isThere = row != null;
            if (row == null) {
                continue;
            }
            if (row.isSame(handler, schedule, payload)) {
                return Change.UNCHANGED;
            }
            if (row.isOver()
                    ? renew(row, handler, schedule, payload, first)
                    : change(row, handler, schedule, payload, first, now)) {
                return row.isOver() ? Change.ADDED : Change.CHANGED;
            }
        }
    }

    /** One that is to end with the run that goes on does not; one that has ended begins anew. */
    private boolean renew(Row row, String handler, MadeSchedule schedule, byte[] payload, Instant first) {
        boolean isClaimed = row.state == RowState.CLAIMED;
        return sql.changes(
                "update {task} set made_for = ?, declared = ?, schedule = null, task_data = ?, format = null,"
                        + " paused = false, last_success = null, last_failure = null, failure = null,"
                        + " earlier_attempts = null, regular_time = ?, execution_time = ?, "
                        + (isClaimed ? "asked_to_end = null" : "{unlinked}first_time = null, " + RowState.RENEWED)
                        + OURS,
                row.with(
                        handler,
                        schedule.text(),
                        payload,
                        isClaimed ? dialect.time(first) : null,
                        dialect.time(isClaimed ? row.at : first)));
    }

    /** An operator's schedule and the time of the next run hold until the code says another schedule. */
    private boolean change(Row row, String handler, MadeSchedule schedule, byte[] payload, Instant first, Instant now) {
        boolean isClaimed = row.state == RowState.CLAIMED;
        boolean isKept = row.declared().schedule().equals(schedule.schedule());
        boolean hasRun = isClaimed || row.hasRunToCome(now);
        Instant regularAt = isKept ? row.regularAt : hasRun ? first : null;
        Instant at = isKept || hasRun ? row.at : first;
        String changes = "update {task} set made_for = ?, declared = ?, schedule = " + (isKept ? "schedule" : "null")
                + ", task_data = ?, format = null, regular_time = ?";
        if (isClaimed) {
            return sql.changes(changes + OURS, row.with(handler, schedule.text(), payload, sql.timeOrNull(regularAt)));
        }
        // A run that stands before the next one waits for no end of a pause, unless it was to come after that began.
        boolean isAhead = row.regularAt != null && row.state != RowState.PAUSED;
        return sql.changes(
                changes + ", execution_time = ?, unreadable = null, state = "
                        + (isAhead ? String.valueOf(RowState.WAITING) : RecurringTable.BY_PAUSE) + ", version = {next}"
                        + OURS,
                row.with(
                        handler,
                        schedule.text(),
                        payload,
                        sql.timeOrNull(regularAt),
                        // It may be read now.
                        dialect.time(row.state == RowState.UNREADABLE ? now : at)));
    }

    /**
     * Which row has been ended.
     *
     * @param isClaimed whether it goes with the run that a node has claimed
     */
    record Ended(String handler, boolean isClaimed) {}

    /** Ends one: no run follows the one that a node has claimed. Null if there is none. */
    @Nullable
    Ended end(String id) {
        while (true) {
            Row row = sql.first(SELECT + ONE + " and" + IS_THERE + " for update", this::read, id);
            if (row == null) {
                return null;
            }
            boolean isClaimed = row.state == RowState.CLAIMED;
            String change = isClaimed ? "update {task} set asked_to_end = true" : "delete from {task}";
            if (sql.changes(change + OURS, row.key.ours())) {
                return new Ended(Objects.requireNonNullElse(row.handler, Handler.MADE), isClaimed);
            }
        }
    }

    // For nodes

    /**
     * The result of ending a run.
     *
     * @param isOurs false if it was not this node's any more
     * @param next when the next run is due; null for never
     */
    record After(boolean isOurs, @Nullable Instant next) {}

    /**
     * Lets a row wait for its next run, in the caller's transaction if there is one. One that is to end, or whose
     * schedule has ended, is deleted: nodes of layout 1 delete what
     * has ended, too.
     */
    After over(RowKey key, RunEnd end) {
        while (true) {
            Row row = sql.first(SELECT + OURS + " for update", this::read, key.ours());
            if (row == null) {
                return new After(false, null);
            }
            Instant next = null;
            if (!row.isToEnd) {
                try {
                    next = nextOf(row, end.at());
                } catch (RuntimeException ex) {
                    return new After(leave(key, end.at(), ex), null);
                }
                if (next == null) {
                    LOGGER.info("The schedule of the durable task " + key.id() + " has ended, so it runs no more: "
                            + RecurringTable.inWords(row.text()));
                }
            }
            if (next == null ? delete(row) : release(row, next, end)) {
                return new After(true, next);
            }
        }
    }

    /** @throws RuntimeException if a newer release has written the schedule: it is no reason to end it */
    private static @Nullable Instant nextOf(Row row, Instant endedAt) {
        return RecurringTable.next(
                RecurringTable.parse(row.text()),
                row.regularAt,
                Objects.requireNonNullElse(row.firstAt, row.at),
                endedAt);
    }

    private boolean delete(Row row) {
        return row.isToEnd
                ? sql.changes("delete from {task}" + OURS + " and asked_to_end = true", row.key.ours())
                : sql.changes(
                        "delete from {task}" + OURS + isAsRead(),
                        row.key.handler(),
                        row.key.id(),
                        row.key.version(),
                        row.schedule,
                        row.declaredText);
    }

    /** A change by users or programs keeps the version of a claimed row, so its columns are compared, too. */
    private String isAsRead() {
        return " and " + dialect.isSame("schedule") + " and " + dialect.isSame("declared") + NOT_ASKED;
    }

    private boolean release(Row row, Instant next, RunEnd end) {
        return sql.changes(
                "update {task} set {unlinked}execution_time = ?, first_time = null, regular_time = null, state = "
                        + RecurringTable.BY_PAUSE + ", owner = null, version = {next}, last_success = ?,"
                        + " consecutive_failures = 0, earlier_attempts = ?, last_failure = ?,"
                        + " failure = case when 0 < ? then " + dialect.text() + " else failure end, "
                        + RowState.UNSUSPECTED + OURS + isAsRead(),
                dialect.time(Arguments.inCalendar(next)),
                sql.timeOrNull(end.lastSuccessAt()),
                end.failures(),
                sql.timeOrNull(end.lastFailureAt()),
                end.hasRun() ? 1 : 0,
                end.failure(),
                row.key.handler(),
                row.key.id(),
                row.key.version(),
                row.schedule,
                row.declaredText);
    }

    /** Leaves a row to nodes that can read its schedule: the ones that start try it, and others after a long pause. */
    boolean leave(RowKey key, Instant now, RuntimeException why) {
        LOGGER.error("The schedule of the durable task " + key.id()
                + " cannot be read here, and is left to other nodes; update this node, or schedule the task again: "
                + why.getMessage());
        return sql.changes(
                "update {task} set " + EndTable.DUE_AGAIN + "last_failure = ?, failure = ?,"
                        + RowState.keptAs(RowState.UNREADABLE) + OURS,
                dialect.time(now.plus(UNREADABLE_PAUSE)),
                dialect.time(now),
                RowEnds.kept(String.valueOf(why.getMessage())),
                key.handler(),
                key.id(),
                key.version());
    }

    /**
     * Lets those wait for their next time that a node of layout 1 has taken for one-time tasks which have killed
     * nodes.
     */
    void revive(Instant now) {
        List<RowKey> failed = sql.keys(" where " + NAME + " and state = " + RowState.FAILED);
        for (RowKey key : failed) {
            Row row = sql.first(SELECT + OURS, this::read, key.ours());
            if (row != null) {
                After ignored = over(key, new RunEnd(now, false, row.succeededAt, row.failures, row.failedAt, null));
            }
        }
    }

    private Row read(ResultSet row, int number) throws SQLException {
        return new Row(
                new RowKey(Handler.MADE, row.getString("task_instance"), row.getLong("version")),
                row.getString("made_for"),
                row.getString("declared"),
                row.getString("schedule"),
                Objects.requireNonNullElse(row.getBytes("task_data"), new byte[0]),
                dialect.dueAt(row),
                dialect.instant(row, "first_time"),
                dialect.instant(row, "regular_time"),
                row.getInt("state"),
                row.getBoolean("asked_to_end"),
                row.getInt("consecutive_failures") + row.getInt("earlier_attempts"),
                dialect.instant(row, "last_success"),
                dialect.instant(row, "last_failure"));
    }

    /**
     * A row as it is before it is changed.
     *
     * @param firstAt when its run was due at first, if that is tried again; else null
     * @param regularAt when a run comes that stands behind the next one; null for when the schedule says so
     */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares rows
    private record Row(
            RowKey key,
            @Nullable String handler,
            @Nullable String declaredText,
            @Nullable String schedule,
            byte[] payload,
            Instant at,
            @Nullable Instant firstAt,
            @Nullable Instant regularAt,
            int state,
            boolean isToEnd,
            int failures,
            @Nullable Instant succeededAt,
            @Nullable Instant failedAt) {

        MadeSchedule declared() {
            return MadeSchedule.read(declaredText);
        }

        /** Returns the schedule that counts. */
        String text() {
            return schedule == null ? declared().schedule() : schedule;
        }

        boolean isOver() {
            return isToEnd || state == RowState.ENDED;
        }

        boolean isSame(String wantedHandler, MadeSchedule wanted, byte[] wantedPayload) {
            return !isOver()
                    && wantedHandler.equals(handler)
                    && wanted.text().equals(declaredText)
                    && Arrays.equals(wantedPayload, payload);
        }

        /** A run that is due, was triggered, or waits to be tried again comes before those of another schedule. */
        boolean hasRunToCome(Instant now) {
            return regularAt != null || firstAt != null || (state == RowState.WAITING && !at.isAfter(now));
        }

        /** Returns the parameters of a statement that ends with {@link RowKey#OURS}, and perhaps more behind it. */
        @Nullable
        Object[] with(@Nullable Object... before) {
            List<@Nullable Object> all = new ArrayList<>();
            Collections.addAll(all, before);
            Collections.addAll(all, key.ours());
            return all.toArray();
        }
    }
}
