package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.durable.Claim.RowKey;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.lang.Contract;

/**
 * The rows of recurring tasks, one for each. The payload of such a row is the schedule that the method says. What users have steered stands in
 * columns of its own, which they change without another version, so that a node that has the row keeps it: {@code paused}, {@code schedule}
 * for another than that of the method, and {@code regular_time} for when a run would have been due that has been triggered.
 */
final class RecurringTable {

    private static final Log LOGGER = LogFactory.getLog("io.github.wheelscheduler.durable");

    /** The id of the only row of a recurring task. */
    private static final String THE_ONE = "recurring";

    private static final String ONE = " where task_name = ? and task_instance = '" + THE_ONE + "'";
    private static final String IS_RECURRING =
            "task_name like '" + Handler.RECURRING + "%' and task_instance = '" + THE_ONE + "'";
    private static final String SET_TIME = " set execution_time = ?, version = version + 1";

    private static final int MOST = 10_000;

    private final TaskTable table;
    private final Dialect dialect;
    private final String update;
    private final String sameSchedule;

    RecurringTable(TaskTable table) {
        this.table = table;
        this.dialect = table.dialect();
        this.sameSchedule = " and " + dialect.isSame("schedule");
        this.update = "update " + table.name();
    }

    // For nodes

    /** Makes the row of a recurring task, or gives it another schedule; false if that has to be tried again. */
    boolean plant(String handler, String schedule, Instant first) {
        byte[] text = schedule.getBytes(StandardCharsets.UTF_8);
        if (table.insert(handler, THE_ONE, text, first)) {
            return true;
        }
        List<byte[]> there = table.committed(
                jdbc -> jdbc.queryForList("select task_data from " + table.name() + ONE, byte[].class, handler));
        if (!there.isEmpty() && Arrays.equals(there.get(0), text)) {
            return true;
        }
        // A run that has been triggered stays.
        return table.update(
                        update + " set task_data = ?, schedule = null, version = version + 1, "
                                + "execution_time = case when regular_time is null then ? else execution_time end, "
                                + "regular_time = case when regular_time is null then null else ? end" + ONE
                                + " and picked = false",
                        text,
                        table.time(first),
                        table.time(first),
                        handler)
                == 1;
    }

    /** Deletes recurring tasks that were due before then, that nobody has run, and nobody has paused. One by one: MariaDB locks all that a statement reads. */
    int deleteBefore(Instant time) {
        String isGone = " and picked = false and paused = false and execution_time < ?";
        List<String> gone = table.committed(jdbc -> jdbc.queryForList(
                "select task_name from " + table.name() + " where " + IS_RECURRING + isGone,
                String.class,
                table.time(time)));
        int deleted = 0;
        for (String handler : gone) {
            deleted += table.update("delete from " + table.name() + ONE + isGone, handler, table.time(time));
        }
        return deleted;
    }

    /** Lets a row wait for its next run after one has ended; false if it is not this node's any more. */
    boolean again(RowKey row, Recurrence declared, Instant dueAt, RunEnd end) {
        while (true) {
            Steered steered = steered(row);
            if (steered == null) {
                return false;
            }
            Instant next = next(steered.recurrence(row.handler(), declared), dueAt, steered.regularTime, end.at());
            if (next == null ? delete(row, steered) : release(row, steered, next, end)) {
                return true;
            }
        }
    }

    /** Whether somebody has triggered the run that this node has claimed. */
    boolean isTriggered(RowKey row) {
        Steered steered = steered(row);
        return steered != null && steered.regularTime != null;
    }

    private @Nullable Steered steered(RowKey row) {
        List<Steered> found = table.committed(jdbc -> jdbc.query(
                "select schedule, task_data, regular_time from " + table.name() + ONE + " and version = ?",
                this::readSteered,
                row.handler(),
                row.version()));
        return found.isEmpty() ? null : found.get(0);
    }

    /** A run that has been triggered comes on top of the others. */
    private static @Nullable Instant next(
            Recurrence recurrence, Instant dueAt, @Nullable Instant regularTime, Instant endedAt) {
        if (regularTime == null) {
            return recurrence.next(dueAt, endedAt);
        }
        return regularTime.isAfter(endedAt) ? regularTime : recurrence.next(regularTime, endedAt);
    }

    private Steered readSteered(ResultSet row, int number) throws SQLException {
        return new Steered(row.getString("schedule"), declared(row), dialect.instant(row, "regular_time"));
    }

    private static String declared(ResultSet row) throws SQLException {
        byte[] data = row.getBytes("task_data");
        return data == null ? "" : new String(data, StandardCharsets.UTF_8);
    }

    /** False also if somebody has given it another schedule meanwhile. */
    private boolean release(RowKey row, Steered steered, Instant next, RunEnd end) {
        return table.update(
                        update + SET_TIME
                                + ", picked = false, picked_by = null, last_heartbeat = null, regular_time = null, "
                                + "last_success = ?, consecutive_failures = ?, last_failure = ?, "
                                + "failure = case when 0 < ? then " + dialect.text() + " else failure end" + ONE
                                + " and version = ?" + sameSchedule,
                        table.time(next),
                        table.timeOrNull(end.lastSuccessAt()),
                        end.failures(),
                        table.timeOrNull(end.lastFailureAt()),
                        end.hasRun() ? 1 : 0,
                        end.failure(),
                        row.handler(),
                        row.version(),
                        steered.schedule)
                == 1;
    }

    private boolean delete(RowKey row, Steered steered) {
        return table.update(
                        "delete from " + table.name() + ONE + " and version = ?" + sameSchedule,
                        row.handler(),
                        row.version(),
                        steered.schedule)
                == 1;
    }

    // For users

    List<RecurringTask> list() {
        return table.committed(jdbc -> jdbc.query(
                "select * from " + table.name() + " where " + IS_RECURRING + " order by task_name limit " + MOST,
                this::read));
    }

    Optional<RecurringTask> find(String handler) {
        return table.committed(jdbc -> jdbc.query("select * from " + table.name() + ONE, this::read, handler)).stream()
                .findFirst();
    }

    private RecurringTask read(ResultSet row, int number) throws SQLException {
        String declared = declared(row);
        String schedule = row.getString("schedule");
        Instant dueAt = dialect.instant(row, "execution_time");
        return new RecurringTask(
                row.getString("task_name").substring(Handler.RECURRING.length()),
                schedule == null ? declared : schedule,
                declared,
                row.getBoolean("paused"),
                dueAt == null ? Instant.EPOCH : dueAt,
                row.getString("picked_by"),
                dialect.instant(row, "last_success"),
                row.getInt("consecutive_failures"),
                dialect.instant(row, "last_failure"),
                row.getString("failure"));
    }

    /** Makes it due now, unless a node has it; when the run would have been due is kept. */
    boolean trigger(String handler) {
        return table.update(
                        update + " set regular_time = coalesce(regular_time, execution_time), execution_time = "
                                + dialect.now() + ", version = version + 1" + ONE + " and picked = false",
                        handler)
                == 1;
    }

    boolean pause(String handler) {
        return table.update(update + " set paused = true" + ONE + " and paused = false", handler) == 1;
    }

    /**
     * Lets it run at its times again. The row is locked to be read, or a transaction of the caller's that has read something before would see its old version for ever.
     *
     * @param declared what this node takes it for; null if it does not know it
     * @return false if it was not paused
     */
    boolean resume(String handler, @Nullable Recurrence declared, Instant now) {
        while (true) {
            List<Paused> paused = table.committed(jdbc -> jdbc.query(
                    "select schedule, task_data, regular_time, execution_time, picked, version from " + table.name()
                            + ONE + " and paused = true for update",
                    this::readPaused,
                    handler));
            if (paused.isEmpty()) {
                return false;
            }
            if (resume(handler, paused.get(0), declared, now)) {
                return true;
            }
        }
    }

    /** In one statement, as whatever is overdue is claimed at once when the pause ends. False if a node has claimed it, or ended it, meanwhile. */
    private boolean resume(String handler, Paused row, @Nullable Recurrence declared, Instant now) {
        Recurrence recurrence = row.steered.recurrence(handler, declared);
        Instant next =
                row.isWaiting && row.at.isBefore(now) && recurrence != null ? recurrence.next(row.at, now) : null;
        return table.update(
                        update
                                + " set paused = false, execution_time = coalesce(?, execution_time), version = version + "
                                + (row.isWaiting ? 1 : 0) + ONE + " and version = ? and paused = true",
                        table.timeOrNull(next),
                        handler,
                        row.version)
                == 1;
    }

    private Paused readPaused(ResultSet row, int number) throws SQLException {
        Instant at = dialect.instant(row, "execution_time");
        Steered steered = readSteered(row, number);
        return new Paused(
                steered,
                at == null ? Instant.EPOCH : at,
                !row.getBoolean("picked") && steered.regularTime == null,
                row.getLong("version"));
    }

    /** Gives it another schedule, from that time on if no node has it, else from the end of the run that is going on. */
    boolean retime(String handler, String schedule, Instant first) {
        return table.update(
                        update + " set schedule = ?, execution_time = case when picked then execution_time else ? end, "
                                + "regular_time = case when picked and regular_time is not null then "
                                + dialect.time() + " end, version = version + case when picked then 0 else 1 end"
                                + ONE,
                        schedule,
                        table.time(first),
                        table.time(first),
                        handler)
                == 1;
    }

    private record Paused(Steered steered, Instant at, boolean isWaiting, long version) {}

    /** What users have asked for, and what a method says: perhaps not that of this node, but that of a newer deployment. */
    private record Steered(
            @Nullable String schedule,
            String declaredText,
            @Nullable Instant regularTime) {

        /** Returns what counts; null only if that makes no sense, and this node knows nothing else. */
        @Contract("_, !null -> !null")
        @Nullable
        Recurrence recurrence(String handler, @Nullable Recurrence declared) {
            String text = schedule == null ? declaredText : schedule;
            if (declared != null && text.equals(declared.text())) {
                return declared;
            }
            try {
                return ScheduleRecurrence.parse(text);
            } catch (IllegalArgumentException ex) {
                LOGGER.debug("Not the schedule in the database but that of the method counts for " + handler, ex);
                return declared;
            }
        }
    }

    /**
     * How a run of a recurring task has ended, with what is known of those before it.
     *
     * @param at when that was
     * @param hasRun false if it was left out
     * @param lastSuccessAt when the last run ended that did not fail; null if none has
     * @param failures how many runs have failed in a row
     * @param lastFailureAt when the last of all failed; null if none has
     * @param failure the exception of this run; null if it did not fail
     */
    record RunEnd(
            Instant at,
            boolean hasRun,
            @Nullable Instant lastSuccessAt,
            int failures,
            @Nullable Instant lastFailureAt,
            @Nullable String failure) {}
}
