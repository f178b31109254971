package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import io.github.wheelscheduler.durable.Recurrence;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.ScheduleRecurrence;
import io.github.wheelscheduler.internal.spring.run.ThrownLog;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.lang.Contract;

/**
 * The rows of recurring tasks, one for each. The payload of such a row is the schedule that the method says. What users have steered stands in
 * columns of its own, which they change without another version, so that a node that has the row keeps it: {@code paused}, {@code schedule}
 * for another than that of the method, and {@code regular_time} for when a run would have been due that has been triggered.
 */
public record RecurringTable(Sql sql, Dialect dialect) {

    static final String NAME = "task_name = '" + Handler.RECURRING + "'";
    static final String ONE = " where " + NAME + " and task_instance = ?";
    static final String IS_FREE = " and state <> " + RowState.CLAIMED;

    /** What a task waits for is its time, unless it is paused. */
    static final String BY_PAUSE = "case when paused then " + RowState.PAUSED + " else " + RowState.WAITING + " end";

    private static final int MOST = 10_000;

    // For nodes

    /** Lets a row wait for its next run after one has ended; false if it is not this node's any more. */
    boolean again(RowKey row, Recurrence declared, Instant dueAt, RunEnd end) {
        while (true) {
            Steered steered = steered(row);
            if (steered == null) {
                return false;
            }
            Instant next = nextOrEnd(row.id(), steered, declared, dueAt, end.at());
            if (release(row, steered, next, dueAt, end)) {
                if (next == null) {
                    LOGGER.info("The schedule of the durable task " + row.id() + " has ended, so it runs no more: "
                            + inWords(steered.text()));
                }
                return true;
            }
        }
    }

    /** A run that has been triggered comes on top of the others. What fails to say when it comes again is over: asking it again helps nobody. */
    private static @Nullable Instant nextOrEnd(
            String id, Steered steered, Recurrence declared, Instant dueAt, Instant endedAt) {
        try {
            Recurrence recurrence = steered.recurrence(id, declared);
            Instant regular = steered.regularTime;
            if (regular == null) {
                return recurrence.next(dueAt, endedAt);
            }
            return regular.isAfter(endedAt) ? regular : recurrence.next(regular, endedAt);
        } catch (OutOfMemoryError ex) {
            // That says nothing about the schedule, which is asked again.
            throw ex;
        } catch (Throwable ex) {
            ThrownLog.error(LOGGER, "The schedule of the durable task " + id + " has failed, so it has ended", ex);
            return null;
        }
    }

    /** Whether the run that this node has claimed has been triggered. */
    boolean isTriggered(RowKey row) {
        Steered steered = steered(row);
        return steered != null && steered.regularTime != null;
    }

    private @Nullable Steered steered(RowKey row) {
        return sql.first(
                "select schedule, task_data, regular_time from {task}" + ONE + " and version = ?",
                this::readSteered,
                row.id(),
                row.version());
    }

    private Steered readSteered(ResultSet row, int number) throws SQLException {
        return new Steered(row.getString("schedule"), declared(row), dialect.instant(row, "regular_time"));
    }

    static String declared(ResultSet row) throws SQLException {
        byte[] data = row.getBytes("task_data");
        return data == null ? "" : new String(data, StandardCharsets.UTF_8);
    }

    /** False also if it has been given another schedule meanwhile. A schedule that has ended is kept, so that no node makes its row again. */
    private boolean release(RowKey row, Steered steered, @Nullable Instant next, Instant dueAt, RunEnd end) {
        return sql.changes(
                "update {task} set execution_time = ?, state = "
                        + (next == null ? String.valueOf(RowState.ENDED) : BY_PAUSE)
                        + ", owner = null, version = {next}, regular_time = null, "
                        + "last_success = ?, consecutive_failures = ?, last_failure = ?, "
                        + "failure = case when 0 < ? then " + dialect.text() + " else failure end, "
                        + RowState.UNSUSPECTED + ONE + " and version = ? and " + dialect.isSame("schedule")
                        + " and coalesce(task_data, " + dialect.noBytes() + ") = ?",
                dialect.time(next == null ? dueAt : Arguments.atMostLatest(next)),
                sql.timeOrNull(end.lastSuccessAt()),
                end.failures(),
                sql.timeOrNull(end.lastFailureAt()),
                end.hasRun() ? 1 : 0,
                end.failure(),
                row.id(),
                row.version(),
                steered.schedule,
                bytes(steered.declaredText));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    // For users

    public List<RecurringTask> list() {
        return sql.query(TaskTable.withOwner(" where " + NAME + " order by task_instance limit " + MOST), this::read);
    }

    public Optional<RecurringTask> find(String id) {
        return sql.query(TaskTable.withOwner(ONE), this::read, id).stream().findFirst();
    }

    private RecurringTask read(ResultSet row, int number) throws SQLException {
        String declared = declared(row);
        String schedule = row.getString("schedule");
        return new RecurringTask(
                row.getString("task_instance"),
                schedule == null ? declared : schedule,
                declared,
                row.getBoolean("paused"),
                row.getInt("state") == RowState.ENDED ? null : dialect.dueAt(row),
                TaskTable.ownerOf(row),
                dialect.instant(row, "last_success"),
                row.getInt("consecutive_failures"),
                dialect.instant(row, "last_failure"),
                row.getString("failure"));
    }

    /** Makes it due now, unless a node has it; when the run would have been due is kept. */
    public boolean trigger(String id) {
        return sql.changes(
                "update {task} set regular_time = coalesce(regular_time, execution_time), execution_time = {now}, "
                        + "state = " + RowState.WAITING + ", version = {next}" + ONE + IS_FREE,
                id);
    }

    public boolean pause(String id) {
        return sql.changes(
                "update {task} set paused = true, state = case when state = " + RowState.WAITING
                        + " and regular_time is null then " + RowState.PAUSED + " else state end" + ONE
                        + " and paused = false",
                id);
    }

    /**
     * Lets it run at its times again. The row is locked to be read, or a transaction of the caller's that has read something before would see its old version for ever.
     *
     * @param declared what this node takes it for; null if it does not know it
     * @return false if it was not paused
     */
    public boolean resume(String id, @Nullable Recurrence declared, Instant now) {
        while (true) {
            Paused paused = sql.first(
                    "select schedule, task_data, regular_time, execution_time, state, version from {task}" + ONE
                            + " and paused = true for update",
                    this::readPaused,
                    id);
            if (paused == null) {
                return false;
            }
            if (resume(id, paused, declared, now)) {
                return true;
            }
        }
    }

    /** In one statement, as all that is overdue is claimed at once when the pause ends. False if a node has claimed it, or ended it, meanwhile. */
    private boolean resume(String id, Paused row, @Nullable Recurrence declared, Instant now) {
        Recurrence recurrence = row.steered.recurrence(id, declared);
        Instant next =
                row.isWaiting && row.at.isBefore(now) && recurrence != null ? recurrence.next(row.at, now) : null;
        return sql.changes(
                "update {task} set paused = false, state = case when state = " + RowState.PAUSED + " then "
                        + RowState.WAITING + " else state end, execution_time = coalesce(?, execution_time)"
                        + (row.isWaiting ? ", version = {next}" : "") + ONE
                        + " and version = ? and paused = true",
                sql.timeOrNull(next),
                id,
                row.version);
    }

    private Paused readPaused(ResultSet row, int number) throws SQLException {
        Steered steered = readSteered(row, number);
        return new Paused(
                steered,
                dialect.dueAt(row),
                row.getInt("state") != RowState.CLAIMED && steered.regularTime == null,
                row.getLong("version"));
    }

    /**
     * Gives it another schedule, from that time on if no node has it, else from the end of the run that is going on. A run that has been triggered stays, and one that is
     * overdue.
     */
    public boolean retime(String id, String schedule, Instant first) {
        String isClaimed = "state = " + RowState.CLAIMED;
        String keepsTime = isClaimed + " or regular_time is not null or (state = " + RowState.WAITING
                + " and execution_time <= {now})";
        return sql.changes(
                "update {task} set schedule = ?, version = case when " + isClaimed
                        + " then version else {next} end, execution_time = case when " + keepsTime
                        + " then execution_time else ? end, regular_time = case when regular_time is not null"
                        + " then " + dialect.time() + " end, state = case when " + keepsTime
                        + " then state else " + BY_PAUSE + " end" + ONE,
                schedule,
                dialect.time(first),
                dialect.time(first),
                id);
    }

    /**
     * Returns the recurrence that a {@linkplain Recurrence#text text} tells.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static ScheduleRecurrence parse(String text) {
        int kindEnd = text.indexOf(' ');
        String kind = kindEnd < 0 ? text : text.substring(0, kindEnd);
        String rest = text.substring(kindEnd + 1);
        try {
            return ScheduleRecurrence.of(
                    switch (kind) {
                        case "fixed-rate" -> TaskSchedule.fixedRate(Duration.parse(rest));
                        case "fixed-delay" -> TaskSchedule.fixedDelay(Duration.parse(rest));
                        case "cron" -> cron(rest);
                        default ->
                            throw new IllegalArgumentException(
                                    "schedule must begin with fixed-rate, fixed-delay or cron, was " + text);
                    },
                    null);
        } catch (DateTimeException ex) {
            throw new IllegalArgumentException("schedule must be a kind and what belongs to it, was " + text, ex);
        }
    }

    /** Returns a text as the log says it; as it is, if it cannot be read. */
    static String inWords(String text) {
        try {
            return parse(text).toString();
        } catch (IllegalArgumentException ex) {
            return text;
        }
    }

    /** Whether any node can read a text, independent of what the node declares. */
    static boolean isReadable(String text) {
        try {
            ScheduleRecurrence ignored = parse(text);
            return true;
        } catch (IllegalArgumentException ex) {
            return false;
        }
    }

    private static TaskSchedule cron(String text) {
        int zoneStart = text.lastIndexOf(' ') + 1;
        return new TaskSchedule.Cron(
                text.substring(0, Math.max(0, zoneStart - 1)), ZoneId.of(text.substring(zoneStart)));
    }

    private record Paused(Steered steered, Instant at, boolean isWaiting, long version) {}

    /** What users have asked for, and what a method says: perhaps not that of this node, but that of a newer deployment. */
    private record Steered(
            @Nullable String schedule,
            String declaredText,
            @Nullable Instant regularTime) {

        String text() {
            return schedule == null ? declaredText : schedule;
        }

        /** Returns what counts; null only if that makes no sense, and this node knows nothing else. */
        @Contract("_, !null -> !null")
        @Nullable
        Recurrence recurrence(String id, @Nullable Recurrence declared) {
            String text = text();
            if (declared != null && text.equals(declared.text())) {
                return declared;
            }
            try {
                return parse(text);
            } catch (IllegalArgumentException ex) {
                LOGGER.debug("Using the schedule declared on the method instead of the stored one for " + id, ex);
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
