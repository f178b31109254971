package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;
import static io.github.wheelscheduler.durable.internal.RowKey.ONE;
import static io.github.wheelscheduler.durable.internal.RowKey.OURS;

import io.github.wheelscheduler.durable.DurableOverview;
import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.internal.TaskPayloads.StoredPayload;
import io.github.wheelscheduler.durable.internal.row.OwnRetries;
import io.github.wheelscheduler.durable.internal.row.RowState;
import io.github.wheelscheduler.durable.internal.trace.Headers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The rows of tasks, as users schedule, move, end and see them. Methods for users take part in their transactions. */
public record TaskTable(Sql sql, Dialect dialect) {

    public static final String DEFAULT_NAME = "wheel_durable_task";

    /** Which parameter of an insert is the version. */
    private static final int VERSION = 3;

    private static final long OVERDUE_MILLIS = 1_000;
    static final Duration NOTICE = Duration.ofMinutes(1);
    private static final int TIDIED_AT_ONCE = 1_000;
    private static final String NOT_ENDED = " and t.state <> " + RowState.ENDED;
    private static final String ONE_UNLOCKED = "select 1 from {task}" + ONE + Dialect.SKIPPING_LOCKED;
    private static final String IS_ENDED = ONE + " and state = " + RowState.ENDED;

    public Instant now() {
        return sql.query(
                        "select {now} as now_there",
                        (row, number) -> Objects.requireNonNull(dialect.instant(row, "now_there")))
                .get(0);
    }

    // Scheduling

    /** A late statement about a deleted row must not change a new one of the same id. */
    static long firstVersion() {
        return ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
    }

    boolean insert(String handler, String id, byte[] payload, Instant at) {
        return insert(handler, id, payload, at, OwnRetries.NONE, null);
    }

    /**
     * The same for one with retries of its own, perhaps.
     *
     * @param headers null for none
     */
    boolean insert(
            String handler, String id, byte[] payload, Instant at, OwnRetries retries, @Nullable Headers headers) {
        return retries.isNone()
                ? insert(headers, handler, id, dialect.insert(), handler, id, payload, firstVersion(), dialect.time(at))
                : insert(
                        headers,
                        handler,
                        id,
                        dialect.insertWithRetries(),
                        handler,
                        id,
                        payload,
                        firstVersion(),
                        dialect.time(at),
                        retries.retries(),
                        retries.backOffMillis(),
                        retries.maxBackOffMillis());
    }

    /** The same for one that has ended at that time. */
    boolean insertEnded(String handler, String id, byte[] payload, Instant at) {
        return insert(null, handler, id, dialect.insertEnded(), handler, id, payload, firstVersion(), dialect.time(at));
    }

    /** The same for so long from now. */
    boolean insertIn(String handler, String id, byte[] payload, Duration delay, @Nullable Headers headers) {
        return insert(headers, handler, id, dialect.insertIn(), handler, id, payload, firstVersion(), millisOf(delay));
    }

    /** Never less, so that no task is due too early. */
    private static long millisOf(Duration delay) {
        return delay.plusNanos(999_999).toMillis();
    }

    /** An ended row is overwritten; but a recurring task that has ended stays so. */
    private boolean insert(
            @Nullable Headers headers, String handler, String id, String statement, @Nullable Object... parameters) {
        if (headers != null) {
            List<@Nullable Object> all = new ArrayList<>();
            Collections.addAll(all, headers.traceparent(), headers.traceState(), parameters[VERSION]);
            Collections.addAll(all, parameters);
            return insert(null, handler, id, Dialect.withOrigin(statement), all.toArray());
        }
        return insertOnce(statement, parameters)
                || (!handler.equals(Handler.RECURRING)
                        && deleteEnded(handler, id)
                        && insertOnce(statement, parameters));
    }

    boolean insertOnce(String statement, @Nullable Object... parameters) {
        try {
            return sql.changes(statement, parameters);
        } catch (DuplicateKeyException ex) {
            // Only where a statement that fails leaves the transaction usable.
            return false;
        }
    }

    /** The arrays are sorted by id, so that two who insert the same wait for each other in one direction only. */
    int insertAll(
            String handler,
            String[] ids,
            byte[][] payloads,
            Instant[] times,
            OwnRetries[] retries,
            @Nullable Headers[] headers) {
        if (dialect != Dialect.POSTGRESQL) {
            Supplier<Integer> each = () -> insertEach(handler, ids, payloads, times, retries, headers);
            return TransactionSynchronizationManager.isActualTransactionActive() ? each.get() : sql.inTransaction(each);
        }
        int inserted = insertArrays(handler, ids, payloads, times, retries, headers);
        return inserted < ids.length && deleteEnded(handler, ids) > 0
                ? inserted + insertArrays(handler, ids, payloads, times, retries, headers)
                : inserted;
    }

    private int insertEach(
            String handler,
            String[] ids,
            byte[][] payloads,
            Instant[] times,
            OwnRetries[] retries,
            @Nullable Headers[] headers) {
        int inserted = 0;
        for (int i = 0; i < ids.length; i++) {
            inserted += insert(handler, ids[i], payloads[i], times[i], retries[i], headers[i]) ? 1 : 0;
        }
        return inserted;
    }

    /** All have the headers of one span, or none has. */
    private int insertArrays(
            String handler,
            String[] ids,
            byte[][] payloads,
            Instant[] times,
            OwnRetries[] retries,
            @Nullable Headers[] headers) {
        sql.commitThoughItIsLate();
        boolean areOwn = !Stream.of(retries).allMatch(OwnRetries::isNone);
        String plain = areOwn ? Dialect.insertAllWithRetries() : Dialect.insertAll();
        Headers some = headers[0];
        String insert = some == null ? plain : Dialect.withOrigin(plain);
        // One statement, not a batch: the text of a batch that fails quotes payloads.
        return sql.repeated(() -> sql.committed(jdbc -> jdbc.update(sql.text(insert), statement -> {
            Connection connection = statement.getConnection();
            long version = firstVersion();
            int index = 0;
            if (some != null) {
                statement.setString(++index, some.traceparent());
                statement.setLong(++index, version);
            }
            statement.setString(++index, handler);
            statement.setLong(++index, version);
            if (some != null) {
                Object[] states = Stream.of(headers)
                        .map(each -> Objects.requireNonNull(each).traceState())
                        .toArray();
                statement.setArray(++index, connection.createArrayOf("varchar", states));
            }
            statement.setArray(++index, connection.createArrayOf("varchar", ids));
            statement.setArray(++index, connection.createArrayOf("bytea", payloads));
            statement.setArray(++index, connection.createArrayOf("timestamptz", times));
            if (areOwn) {
                setArray(statement, ++index, "int", retries, OwnRetries::retries);
                setArray(statement, ++index, "bigint", retries, OwnRetries::backOffMillis);
                setArray(statement, ++index, "bigint", retries, OwnRetries::maxBackOffMillis);
            }
        })));
    }

    private static void setArray(
            PreparedStatement statement,
            int index,
            String type,
            OwnRetries[] retries,
            Function<OwnRetries, @Nullable Object> value)
            throws SQLException {
        Object[] values = Stream.of(retries).map(value).toArray();
        statement.setArray(index, statement.getConnection().createArrayOf(type, values));
    }

    /** Puts another task in place of one that no node has. */
    boolean replace(
            String handler, String id, byte[] payload, Instant at, OwnRetries retries, @Nullable Headers headers) {
        List<@Nullable Object> parameters = new ArrayList<>();
        if (headers != null) {
            Collections.addAll(parameters, headers.traceparent(), headers.traceState());
        }
        Collections.addAll(
                parameters,
                payload,
                dialect.time(at),
                retries.retries(),
                retries.backOffMillis(),
                retries.maxBackOffMillis(),
                handler,
                id);
        String origin = headers == null
                ? "{unlinked}"
                : "traceparent = ?, tracestate = ?, failed_traceparent = null, origin_version = {next}, ";
        return sql.changes(
                "update {task} set " + origin
                        + "task_data = ?, format = null, execution_time = ?, first_time = null, failure = null, "
                        + "next_time = null, next_data = null, next_format = null, earlier_attempts = null, retries = "
                        + "?, back_off_millis = ?, max_back_off_millis = ?, " + RowState.RENEWED + ONE
                        + " and state <> "
                        + RowState.CLAIMED,
                parameters.toArray());
    }

    /** Whether a node has it, as the transaction of the caller sees it. */
    boolean isClaimed(String handler, String id) {
        return sql.finds("select 1 from {task}" + ONE + " and state = " + RowState.CLAIMED, handler, id);
    }

    boolean move(String handler, String id, Instant at) {
        return sql.changes(
                "update {task} set execution_time = ?, first_time = null, version = {next}" + ONE + " and state = "
                        + RowState.WAITING,
                dialect.time(at),
                handler,
                id);
    }

    boolean retry(String handler, String id) {
        return sql.changes(
                "update {task} set first_time = coalesce(first_time, execution_time), execution_time = {now}, "
                        // Before the failures are forgotten: MariaDB sets one column after another.
                        + "earlier_attempts = coalesce(earlier_attempts, 0) + coalesce(consecutive_failures, 0), "
                        + "failure = null, " + RowState.RENEWED + ONE + " and state in (" + RowState.FAILED + ", "
                        + RowState.UNREADABLE + ")",
                handler,
                id);
    }

    // Ending

    boolean delete(String handler, String id) {
        return sql.changes(
                "delete from {task}" + ONE + " and state not in (" + RowState.CLAIMED + ", " + RowState.ENDED + ")",
                handler,
                id);
    }

    /**
     * Asks the node that has a row to end it, and then says so in the row of the node; false if no node has it, or
     * another transaction has locked it. Two transactions: a process that stands still before its commit must not keep
     * the node from saying that it lives.
     */
    boolean askToEnd(String handler, String id) {
        boolean isAsked = sql.inTransaction(() -> sql.finds(ONE_UNLOCKED, handler, id)
                && sql.changes(
                        "update {task} set asked_to_end = true" + ONE + " and state = " + RowState.CLAIMED,
                        handler,
                        id));
        if (isAsked) {
            int ignored = sql.update(
                    "update {node} set asked = asked + 1 where incarnation = (select owner from {task}" + ONE + ")",
                    handler,
                    id);
        }
        return isAsked;
    }

    /** Returns what has become of a row that is to be ended; null if it is not there. */
    @Nullable
    CancelProgress cancelProgress(String handler, String id) {
        return sql.first(
                "select t.state, t.failure, t.asked_to_end, n.beat_at from {task} t left join {node} n on "
                        + "n.incarnation = t.owner"
                        + ONE,
                (row, number) -> new CancelProgress(
                        row.getInt("state"),
                        row.getString("failure") != null,
                        row.getBoolean("asked_to_end"),
                        dialect.instant(row, "beat_at")),
                handler,
                id);
    }

    /**
     * The progress of a request to end a row.
     *
     * @param state as {@link RowState} has it
     * @param hasRun whether a run of it has ended, if it has ended
     * @param isAsked whether its node has been asked to end it
     * @param heardAt the last heartbeat of the node that has it; null if none has it, or that node has gone
     */
    record CancelProgress(
            int state,
            boolean hasRun,
            boolean isAsked,
            @Nullable Instant heardAt) {}

    /**
     * Deletes a row that no node has, unless another transaction has locked it.
     *
     * @param isAsked whether it was to be ended, and may have been
     */
    boolean deleteUnlocked(String handler, String id, boolean isAsked) {
        return sql.inTransaction(() ->
                sql.finds(ONE_UNLOCKED, handler, id) && (isAsked ? deleteAsked(handler, id) : delete(handler, id)));
    }

    private boolean deleteAsked(String handler, String id) {
        return sql.changes(
                "delete from {task}" + ONE + " and asked_to_end = true and state <> " + RowState.CLAIMED, handler, id);
    }

    /**
     * Deletes a row that has been ended. Looked for without a lock: MariaDB has one on a row that is there since the
     * insert, as others have.
     */
    private boolean deleteEnded(String handler, String id) {
        return sql.finds("select 1 from {task}" + IS_ENDED, handler, id)
                && sql.changes("delete from {task}" + IS_ENDED, handler, id);
    }

    /** The same for rows of PostgreSQL; returns how many. */
    private int deleteEnded(String handler, String[] ids) {
        return sql.committed(jdbc -> jdbc.update(
                sql.text("delete from {task} where task_name = ? and task_instance = any(?) and state = "
                        + RowState.ENDED),
                statement -> {
                    statement.setString(1, handler);
                    statement.setArray(2, statement.getConnection().createArrayOf("varchar", ids));
                }));
    }

    /**
     * Deletes rows that have been ended, and of which nobody has taken notice for a minute, and one-time tasks that
     * have failed for good so long ago; null for none.
     */
    void tidy(@Nullable Duration keepFailed) {
        int ignored = sql.update(
                "delete from {task} where state = " + RowState.ENDED + " and task_name <> '" + Handler.RECURRING
                        + "' and (last_failure is null or last_failure < " + dialect.earlier() + ")",
                NOTICE.toMillis());
        while (keepFailed != null && deleteFailed(keepFailed, TIDIED_AT_ONCE) == TIDIED_AT_ONCE) {
            LOGGER.debug(
                    "Tasks that failed permanently are older than keep-failed; the next round deletes more of them");
        }
    }

    int deleteFailed(Duration age, int limit) {
        List<RowKey> rows = sql.keys(
                " where state = " + RowState.FAILED + " and not " + RecurringTable.BOTH + " and last_failure < "
                        + dialect.earlier() + " limit " + limit,
                age.toMillis());
        return sql.updateEach("delete from {task}" + OURS + " and state = " + RowState.FAILED, rows, RowKey::ours);
    }

    // Looking

    public Optional<DurableTask> find(String handler, String id) {
        return sql.query(withOwner(ONE + NOT_ENDED), this::read, handler, id).stream()
                .findFirst();
    }

    /** Returns the payload of a task; null if there is no such task. */
    @Nullable
    StoredPayload payload(String handler, String id) {
        return sql.first(
                "select coalesce(task_data, " + dialect.noBytes() + ") as task_data, format from {task} t" + ONE
                        + NOT_ENDED,
                (row, number) -> new StoredPayload(row.getBytes("task_data"), row.getString("format")),
                handler,
                id);
    }

    List<DurableTask> list(String handler, DurableTask.@Nullable State state, @Nullable String afterId, int limit) {
        String condition = state == null ? NOT_ENDED : " and t.state = " + RowState.of(state);
        return sql.query(
                withOwner(" where task_name = ? and task_instance > ?" + condition + " order by task_instance limit "
                        + limit),
                this::read,
                handler,
                afterId == null ? "" : afterId);
    }

    /** Returns tasks of all handlers in a state of tasks that do not wait for their time; one key range of an index. */
    public List<DurableTask> kept(DurableTask.State state, int limit) {
        if (state != DurableTask.State.FAILED && state != DurableTask.State.UNREADABLE) {
            throw new IllegalArgumentException("state must be FAILED or UNREADABLE, was " + state);
        }
        Arguments.requireLimit(limit);
        return sql.query(
                withOwner(" where t.state = " + RowState.of(state) + " and not " + RecurringTable.BOTH
                        + " order by task_name, execution_time limit " + limit),
                this::read);
    }

    /** Selects columns, without payloads, which may be large. */
    private static String withOwner(String condition) {
        return withOwner(
                "t.task_name, t.task_instance, t.execution_time, t.state, t.owner, t.consecutive_failures,"
                        + " t.last_failure, t.failure",
                condition);
    }

    static String withOwner(String columns, String condition) {
        return "select " + columns
                + ", n.name as owner_name from {task} t left join {node} n on n.incarnation = t.owner" + condition;
    }

    private DurableTask read(ResultSet row, int number) throws SQLException {
        return new DurableTask(
                row.getString("task_name"),
                row.getString("task_instance"),
                dialect.dueAt(row),
                RowState.read(row.getInt("state")),
                ownerOf(row),
                row.getInt("consecutive_failures"),
                dialect.instant(row, "last_failure"),
                row.getString("failure"));
    }

    /** Returns the name of the node that has a row, or its incarnation if the name is unknown; null if none has. */
    static @Nullable String ownerOf(ResultSet row) throws SQLException {
        String name = row.getString("owner_name");
        return name == null ? row.getString("owner") : name;
    }

    /** Returns the handlers for which recurring tasks wait that are made at run time. */
    List<String> waitingMadeFor() {
        return sql.query(
                "select distinct made_for from {task} where state = " + RowState.WAITING + " and " + MadeTable.NAME
                        + " and made_for is not null",
                (row, number) -> row.getString(1));
    }

    /**
     * Returns the names of the handlers for which tasks wait; all recurring ones have one, and so do those made at run
     * time.
     */
    public List<String> waitingNames() {
        return sql.query(dialect.waitingNames(), (row, number) -> row.getString(1));
    }

    /** Returns the same for tasks that wait, that nodes have, or that no node could read. */
    public List<String> unfinishedNames() {
        return sql
                .query(
                        "select * from (" + dialect.waitingNames() + ") waiting union select * from ("
                                + dialect.names(RowState.UNREADABLE)
                                + ") unreadable union select task_name from {task} where owner is not null",
                        (row, number) -> row.getString(1))
                .stream()
                .sorted()
                .toList();
    }

    /** Counts what could have been claimed a second ago of these names, up to a limit. */
    int overdue(List<String> names) {
        int overdue = 0;
        for (String handler : names) {
            overdue += count(
                    "state = " + RowState.WAITING + " and task_name = ? and execution_time < " + dialect.earlier(),
                    handler,
                    OVERDUE_MILLIS);
        }
        return Math.min(overdue, DurableOverview.MOST);
    }

    /** Counts what is in a state, up to a limit. */
    int inState(int state) {
        return count("state = " + state);
    }

    private int count(String condition, Object... parameters) {
        return sql.query(
                        "select count(*) from (select 1 as one from {task} where " + condition + " limit "
                                + DurableOverview.MOST + ") some_rows",
                        (row, number) -> row.getInt(1),
                        parameters)
                .get(0);
    }
}
