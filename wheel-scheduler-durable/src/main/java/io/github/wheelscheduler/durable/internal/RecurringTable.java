package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;
import static io.github.wheelscheduler.durable.internal.RowKey.OURS;

import io.github.wheelscheduler.durable.Recurrence;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.ScheduleRecurrence;
import io.github.wheelscheduler.durable.internal.row.MadeSchedule;
import io.github.wheelscheduler.durable.internal.row.RowState;
import io.github.wheelscheduler.internal.spring.run.ThrownLog;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.lang.Contract;

/**
 * The rows of recurring tasks, one for each. The payload of such a row is the schedule of the method. Changes by users
 * are in columns of their own and leave the version as it is, so that a node that has the row keeps it. {@code paused}
 * holds runs back, {@code schedule} replaces that of the method, and {@code regular_time} is when a triggered run would
 * have been due.
 */
public record RecurringTable(Sql sql, Dialect dialect, MadeTable made) {

    static final String NAME = "task_name = '" + Handler.RECURRING + "'";
    static final String ONE = " where " + NAME + " and task_instance = ?";
    /** Of the ones that methods declare, and of the ones that are made at run time. */
    static final String BOTH = "task_name in ('" + Handler.RECURRING + "', '" + Handler.MADE + "')";

    static final String IS_FREE = " and state <> " + RowState.CLAIMED;

    /** A task waits for its time, unless it is paused. */
    static final String BY_PAUSE = "case when paused then " + RowState.PAUSED + " else " + RowState.WAITING + " end";

    /** The number of characters of a failure that lists have. */
    private static final int SHOWN_FAILURE = 500;

    /**
     * The columns of a row that is shown. The payload of a task that was made at run time may be large, and is left
     * out; that of others is their schedule.
     */
    private static final String SHOWN = "t.task_name, t.task_instance, t.made_for, t.schedule, t.declared, t.paused,"
            + " t.state, t.execution_time, t.owner, t.last_success, t.consecutive_failures, t.earlier_attempts,"
            + " t.last_failure, case when t.task_name = '" + Handler.RECURRING + "' then t.task_data end as task_data";

    private static final String TRIGGERED_BY = "traceparent = ?, tracestate = null, failed_traceparent = case when"
            + " origin_version = version then failed_traceparent end, origin_version = {next}, ";

    // For nodes

    /** Lets a row wait for its next run after one has ended; false if it is not this node's any more. */
    boolean again(RowKey row, Recurrence declared, Instant dueAt, RunEnd end) {
        while (true) {
            Steered steered = steered(row);
            if (steered == null) {
                return false;
            }
            Instant next = nextOrEnd(
                    row.id(), () -> steered.recurrence(row.id(), declared), steered.regularTime, dueAt, end.at());
            if (release(row, steered, next, dueAt, end)) {
                if (next == null) {
                    LOGGER.info("The schedule of the durable task " + row.id() + " has ended, so it runs no more: "
                            + inWords(steered.text()));
                }
                return true;
            }
        }
    }

    /** A run that has been triggered comes on top of the others. */
    static @Nullable Instant next(Recurrence recurrence, @Nullable Instant regular, Instant dueAt, Instant endedAt) {
        if (regular == null) {
            return recurrence.next(dueAt, endedAt);
        }
        return regular.isAfter(endedAt) ? regular : recurrence.next(regular, endedAt);
    }

    /** The same for a method's: what fails to say when it comes again is over, as asking it again helps nobody. */
    private static @Nullable Instant nextOrEnd(
            String id, Supplier<Recurrence> schedule, @Nullable Instant regular, Instant dueAt, Instant endedAt) {
        try {
            return next(schedule.get(), regular, dueAt, endedAt);
        } catch (OutOfMemoryError ex) {
            // That says nothing about the schedule, which is asked again.
            throw ex;
        } catch (Throwable ex) {
            ThrownLog.error(
                    LOGGER,
                    "The schedule of the durable task " + id
                            + " has failed, so the task has ended. Fix its Recurrence, then re-time the task",
                    ex);
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
                "select schedule, task_name, task_data, declared, regular_time from {task}" + OURS,
                this::readSteered,
                row.ours());
    }

    private Steered readSteered(ResultSet row, int number) throws SQLException {
        return new Steered(row.getString("schedule"), declaredOfBoth(row), dialect.instant(row, "regular_time"));
    }

    static String declared(ResultSet row) throws SQLException {
        byte[] data = row.getBytes("task_data");
        return data == null ? "" : new String(data, StandardCharsets.UTF_8);
    }

    private static String declaredOfBoth(ResultSet row) throws SQLException {
        return isMade(row) ? MadeSchedule.read(row.getString("declared")).schedule() : declared(row);
    }

    private static boolean isMade(ResultSet row) throws SQLException {
        return row.getString("task_name").equals(Handler.MADE);
    }

    /**
     * False also if it has been given another schedule meanwhile. A schedule that has ended is kept, so that no node
     * makes its row again.
     */
    private boolean release(RowKey row, Steered steered, @Nullable Instant next, Instant dueAt, RunEnd end) {
        return sql.changes(
                "update {task} set {unlinked}execution_time = ?, state = "
                        + (next == null ? String.valueOf(RowState.ENDED) : BY_PAUSE)
                        + ", owner = null, version = {next}, regular_time = null, "
                        + "last_success = ?, consecutive_failures = ?, last_failure = ?, "
                        + "failure = case when 0 < ? then " + dialect.text() + " else failure end, "
                        + RowState.UNSUSPECTED + ONE + " and version = ? and " + dialect.isSame("schedule")
                        + " and coalesce(task_data, " + dialect.noBytes() + ") = ?",
                dialect.time(next == null ? dueAt : Arguments.inCalendar(next)),
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

    /**
     * Returns a page of both kinds by id, with the beginnings of their failures. It reads no row that is not on the
     * page: two key ranges.
     *
     * @param afterId only those with a greater id; empty for the first page
     * @param limit the maximum number of tasks
     */
    public List<RecurringTask> page(String afterId, int limit) {
        String part = "(select " + SHOWN + ", substring(t.failure, 1, " + SHOWN_FAILURE
                + ") as failure from {task} t where task_name = '%s' and task_instance > ?%s order by task_instance"
                + " limit " + limit + ")";
        return sql.queryPlanned(
                "select t.*, n.name as owner_name from (select * from (" + part.formatted(Handler.RECURRING, "")
                        + " union all " + part.formatted(Handler.MADE, " and" + MadeTable.IS_THERE)
                        + ") both_kinds order by task_instance limit "
                        + limit + ") t left join {node} n on n.incarnation = t.owner order by task_instance",
                this::read,
                afterId,
                afterId);
    }

    public Optional<RecurringTask> find(String id) {
        return sql.query(TaskTable.withOwner(SHOWN + ", t.failure", RowKey.ONE), this::read, nameOf(id), id).stream()
                .findFirst();
    }

    /** Returns the name of the row: an id is that of one kind. */
    private String nameOf(String id) {
        return made.isThere(id) ? Handler.MADE : Handler.RECURRING;
    }

    private RecurringTask read(ResultSet row, int number) throws SQLException {
        String declared = declaredOfBoth(row);
        String schedule = row.getString("schedule");
        boolean isMade = isMade(row);
        return new RecurringTask(
                row.getString("task_instance"),
                isMade ? row.getString("made_for") : null,
                schedule == null ? declared : schedule,
                declared,
                row.getBoolean("paused"),
                row.getInt("state") == RowState.ENDED ? null : dialect.dueAt(row),
                TaskTable.ownerOf(row),
                dialect.instant(row, "last_success"),
                row.getInt("consecutive_failures") + (isMade ? row.getInt("earlier_attempts") : 0),
                dialect.instant(row, "last_failure"),
                row.getString("failure"));
    }

    /** Makes it due now, unless a node has it; when the run would have been due is kept. */
    public boolean trigger(String id) {
        String traceparent = sql.traces().current();
        List<Object> parameters = new ArrayList<>();
        if (traceparent != null && sql.keepsOrigins()) {
            parameters.add(traceparent);
        }
        Collections.addAll(parameters, nameOf(id), id);
        return sql.changes(
                "update {task} set " + (parameters.size() > 2 ? TRIGGERED_BY : "")
                        + "regular_time = coalesce(regular_time, first_time, execution_time),"
                        + " execution_time = {now}, state = " + RowState.WAITING + ", version = {next}" + RowKey.ONE
                        + IS_FREE + MadeTable.NOT_ASKED,
                parameters.toArray());
    }

    /** A triggered run still takes place; a retry of a run before a schedule change does not. */
    public boolean pause(String id) {
        return sql.changes(
                "update {task} set paused = true, state = case when state = " + RowState.WAITING
                        + " and (regular_time is null or execution_time > {now}) then " + RowState.PAUSED
                        + " else state end" + RowKey.ONE
                        + " and paused = false",
                nameOf(id),
                id);
    }

    /**
     * Lets it run at its times again. The row is locked to be read, or a transaction of the caller's that has read
     * something before would see its old version for ever.
     *
     * @param declared the schedule that this node declares for it; null if this node does not know it
     * @return false if it was not paused
     */
    public boolean resume(String id, @Nullable Recurrence declared, Instant now) {
        while (true) {
            Paused paused = sql.first(
                    "select schedule, task_name, task_data, declared, regular_time, execution_time, first_time, state,"
                            + " version"
                            + " from {task}"
                            + RowKey.ONE
                            + " and paused = true for update",
                    this::readPaused,
                    nameOf(id),
                    id);
            if (paused == null) {
                return false;
            }
            if (resume(id, paused, declared, now)) {
                return true;
            }
        }
    }

    /**
     * In one statement, as all that is overdue is claimed at once when the pause ends. A retry whose time has passed is
     * left out with the others, and with its run. False if a node has claimed it, or ended it, meanwhile.
     */
    private boolean resume(String id, Paused row, @Nullable Recurrence declared, Instant now) {
        Recurrence recurrence = row.steered.recurrence(id, declared);
        Instant next = row.isToCome && row.at.isBefore(now) && recurrence != null
                ? recurrence.next(Objects.requireNonNullElse(row.firstAt, row.at), now)
                : null;
        String leftOut = next == null || row.firstAt == null
                ? ""
                : ", earlier_attempts = coalesce(earlier_attempts, 0) + coalesce(consecutive_failures, 0),"
                        + " consecutive_failures = 0, first_time = null";
        return sql.changes(
                "update {task} set paused = false, state = case when state = " + RowState.PAUSED + " then "
                        + RowState.WAITING + " else state end, execution_time = coalesce(?, execution_time)"
                        + leftOut + (row.isFree ? ", version = {next}" : "") + RowKey.ONE
                        + " and version = ? and paused = true",
                sql.timeOrNull(next),
                nameOf(id),
                id,
                row.version);
    }

    private Paused readPaused(ResultSet row, int number) throws SQLException {
        Steered steered = readSteered(row, number);
        int state = row.getInt("state");
        boolean isFree = state != RowState.CLAIMED && steered.regularTime == null;
        return new Paused(
                steered,
                dialect.dueAt(row),
                dialect.instant(row, "first_time"),
                isFree,
                isFree && state != RowState.UNREADABLE,
                row.getLong("version"));
    }

    /**
     * Gives it another schedule, from that time on if no node has it, else from the end of the run that is going on. A
     * run that has been triggered stays, and one that is overdue.
     */
    public boolean retime(String id, String schedule, Instant first) {
        String isClaimed = "state = " + RowState.CLAIMED;
        String keepsTime = isClaimed + " or regular_time is not null or first_time is not null or (state = "
                + RowState.WAITING + " and execution_time <= {now})";
        String origin = "origin_version = case when origin_version = version then case when " + isClaimed
                + " then version else {next} end end, ";
        return sql.changes(
                "update {task} set schedule = ?, " + (sql.keepsOrigins() ? origin : "") + "version = case when "
                        + isClaimed
                        + " then version else {next} end, execution_time = case when " + keepsTime
                        + " then execution_time else ? end, regular_time = case when regular_time is not null"
                        + " or first_time is not null then " + dialect.time() + " end, state = case when " + keepsTime
                        + " then state else " + BY_PAUSE + " end" + RowKey.ONE,
                schedule,
                dialect.time(first),
                dialect.time(first),
                nameOf(id),
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
            throw new IllegalArgumentException(
                    "schedule must be a kind and its value, such as fixed-rate PT1M, was " + text, ex);
        }
    }

    /**
     * Returns the recurrence of a schedule that other nodes can read.
     *
     * @param usualZone in which a cron expression without a zone is meant
     * @throws IllegalArgumentException as {@link ScheduleRecurrence#of}, or if it says what happens when clocks change
     */
    public static ScheduleRecurrence readable(TaskSchedule schedule, ZoneId usualZone) {
        Objects.requireNonNull(schedule, "schedule must not be null");
        if (schedule instanceof TaskSchedule.Cron cron && (cron.gap() != null || cron.overlap() != null)) {
            throw new IllegalArgumentException(
                    "schedule must have no gap and no overlap, which durable crons leave to Spring, was " + cron);
        }
        TaskSchedule meant = schedule.isCron() ? schedule.meantIn(usualZone) : schedule;
        // Spring reads past any white space between the fields, and past what it counts as such.
        return parse(ScheduleRecurrence.of(meant, null).text().replaceAll("[\\x00-\\x20]+", " "));
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
        return whyUnreadable(text) == null;
    }

    /** Returns why this node cannot read a text; null if it can. */
    static @Nullable RuntimeException whyUnreadable(String text) {
        try {
            ScheduleRecurrence ignored = parse(text);
            return null;
        } catch (IllegalArgumentException ex) {
            return ex;
        }
    }

    private static TaskSchedule cron(String text) {
        int zoneStart = text.lastIndexOf(' ') + 1;
        return new TaskSchedule.Cron(
                text.substring(0, Math.max(0, zoneStart - 1)), ZoneId.of(text.substring(zoneStart)));
    }

    /**
     * A row that is paused.
     *
     * @param firstAt when its run was due at first, if that is tried again; else null
     * @param isFree whether no node has it, and no run of it stands before the next one
     * @param isToCome whether it waits for that
     */
    private record Paused(
            Steered steered, Instant at, @Nullable Instant firstAt, boolean isFree, boolean isToCome, long version) {}

    /** The schedule of users, and that of a method, which may belong to a newer deployment. */
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
                LOGGER.debug(
                        "Using the schedule declared on the method of " + id + ", as the stored one cannot be read",
                        ex);
                return declared;
            }
        }
    }

    /**
     * The end of a run of a recurring task, with the facts of the ones before.
     *
     * @param at the time of the end
     * @param hasRun false if it was left out
     * @param lastSuccessAt the time at which the last run ended that did not fail; null if none has
     * @param failures the number of consecutive failed runs
     * @param lastFailureAt the time of the last failed run; null if none has failed
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
