package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.RowKey.ONE;
import static io.github.wheelscheduler.durable.internal.RowKey.OURS;
import static io.github.wheelscheduler.durable.internal.row.RowState.FREED;
import static io.github.wheelscheduler.durable.internal.row.RowState.UNSUSPECTED;

import io.github.wheelscheduler.durable.internal.journal.RowColumns;
import io.github.wheelscheduler.durable.internal.journal.StatementRows;
import io.github.wheelscheduler.durable.internal.row.OwnRetries;
import io.github.wheelscheduler.durable.internal.row.RowState;
import io.github.wheelscheduler.durable.internal.trace.Headers;
import io.github.wheelscheduler.durable.internal.trace.RowOrigin;
import io.github.wheelscheduler.jdbc.internal.DatabaseErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.PreparedStatementSetter;

/**
 * The rows of tasks, as their runs end. A method returns false if the row is no longer this node's. Called where there
 * is no transaction, unless it says so.
 */
record EndTable(Sql sql, Dialect dialect) {

    static final String DUE_AGAIN = "first_time = coalesce(first_time, execution_time), execution_time = ?, ";

    /** A task that a run has scheduled in its own place has the origin that was written with it. */
    private static final String NEXT_ORIGIN =
            "traceparent = case when next_origin_version = version then next_traceparent end, tracestate = null, "
                    + "failed_traceparent = null, origin_version = case when next_origin_version = version then {next} "
                    + "end, next_traceparent = null, next_origin_version = null, ";

    private static final String FAILED_ORIGIN =
            "traceparent = ?, tracestate = ?, failed_traceparent = ?, origin_version = {next}, ";

    /** The failure of a row whose run its node has cancelled. */
    static final String CANCELLED = "Cancelled while it ran";

    private static final String DELETE_DONE = "delete from {task}" + OURS + " and next_time is null";

    /** Keeps a row that has failed for good. */
    boolean giveUp(Claim claim, int failures, Instant now, String failure) {
        return changeFailed(
                claim,
                "consecutive_failures = ?, last_failure = ?, failure = ?, " + UNSUSPECTED + ","
                        + RowState.keptAs(RowState.FAILED),
                failures,
                dialect.time(now),
                failure);
    }

    /** Lets a row wait for another run after one has failed. */
    boolean tryAgain(Claim claim, Instant at, int failures, Instant failedAt) {
        return changeFailed(
                claim,
                DUE_AGAIN + "consecutive_failures = ?, last_failure = ?, " + UNSUSPECTED + "," + FREED,
                dialect.time(at),
                failures,
                dialect.time(failedAt));
    }

    /**
     * Lets a row wait for another run as its handler has asked for: with its payload and its first time, and as if it
     * had not failed. One that was to be ended is, and keeps that it has run.
     */
    boolean again(RowKey row, Instant at) {
        return change(
                row,
                DUE_AGAIN + (sql.keepsOrigins() ? "tracestate = null, failed_traceparent = null, " : "")
                        + "consecutive_failures = 0, earlier_attempts = null, failure = case when asked_to_end then '"
                        + CANCELLED + "' end, "
                        + "last_failure = case when asked_to_end then {now} else last_failure end, " + UNSUSPECTED + ","
                        + FREED,
                dialect.time(at));
    }

    /** Sets a row aside that this node cannot read, until some time. */
    boolean setAside(RowKey row, Instant until, int times, Instant now, String why) {
        return change(
                row,
                DUE_AGAIN + "unreadable = ?, last_failure = ?, failure = ?, marked = null,"
                        + RowState.keptAs(RowState.UNREADABLE),
                dialect.time(until),
                times,
                dialect.time(now),
                why);
    }

    /** Ends a row that is to be ended. */
    boolean end(RowKey row, Instant now, @Nullable String how) {
        return change(row, "last_failure = ?, failure = " + dialect.text() + "," + FREED, dialect.time(now), how);
    }

    /** Deletes a row that has run, or lets it wait for what its run has scheduled in its place. */
    boolean done(RowKey row) {
        return sql.changes(DELETE_DONE, row.ours())
                || change(
                        row,
                        (sql.keepsOrigins() ? NEXT_ORIGIN : "")
                                + "task_data = next_data, format = next_format, execution_time = next_time, first_time "
                                + "= null, retries = next_retries, back_off_millis = next_back_off_millis, "
                                + "max_back_off_millis = next_max_back_off_millis, next_retries = null, "
                                + "next_back_off_millis = null, next_max_back_off_millis = null, earlier_attempts = "
                                + "null, next_time = null, next_data = null, next_format = null, consecutive_failures "
                                + "= 0, failure = null, "
                                + UNSUSPECTED + ","
                                + FREED);
    }

    /**
     * Deletes those of some rows that have run, are this node's, that nobody has locked, and that nothing is to follow;
     * returns them. The rows are sorted.
     *
     * @param notes what is written with them
     */
    Set<RowKey> doneAll(List<RowKey> rows, StatementRows notes) {
        if (dialect == Dialect.POSTGRESQL) {
            return doneInOne(rows, notes);
        }
        if (rows.size() == 1 || dialect == Dialect.H2) {
            return doneEach(rows, notes);
        }
        return sql.inTransaction(() -> {
            Set<RowKey> ours = ours(rows, " and next_time is null" + Dialect.SKIPPING_LOCKED);
            // One by one, by the key: a scan of the table would wait for what others have locked.
            int ignored = sql.updateEach("delete from {task}" + ONE, ours, RowKey::one);
            notes.insert(sql, ours);
            return ours;
        });
    }

    private Set<RowKey> doneInOne(List<RowKey> rows, StatementRows notes) {
        RowColumns columns = notes.columns(rows, rows.stream().map(RowKey::id).toList());
        if (columns == null) {
            return new HashSet<>(sql.committedPlanned(jdbc ->
                    jdbc.query(sql.text(Dialect.deleteDone()), statement -> setKeys(statement, rows), RowKey::read)));
        }
        String text = sql.text(Dialect.deleteDone(notes.insertion(), columns));
        PreparedStatementSetter setter = statement -> columns.set(statement, setKeys(statement, rows));
        return notes.attempt(() -> new HashSet<>(sql.committedPlanned(
                jdbc -> sql.within(StatementRows.LONGEST, jdbc, () -> jdbc.query(text, setter, RowKey::read)))));
    }

    /**
     * Does the same one by one, and commits them together; by a statement that is prepared, so that its plan may be of
     * a time when the table was small.
     */
    Set<RowKey> doneEach(List<RowKey> rows, StatementRows notes) {
        Set<RowKey> done = new HashSet<>();
        try {
            if (rows.stream().anyMatch(row -> notes.values(row) != null)) {
                return doneWith(rows, notes);
            }
            int[] counts = sql.updateEachOf(
                    dialect.deleteDoneOne(), rows.stream().map(RowKey::ours).toList());
            for (int i = 0; i < counts.length; i++) {
                if (counts[i] != 0) {
                    boolean ignored = done.add(rows.get(i));
                }
            }
        } catch (RuntimeException ex) {
            if (notes.isRefused(ex) || !DatabaseErrors.isConflict(ex)) {
                throw ex;
            }
        }
        return done;
    }

    private Set<RowKey> doneWith(List<RowKey> rows, StatementRows notes) {
        if (dialect == Dialect.POSTGRESQL) {
            return rows.stream().filter(row -> doneOne(row, notes)).collect(Collectors.toSet());
        }
        return sql.inTransaction(() -> {
            Set<RowKey> done = rows.stream()
                    .filter(row -> sql.changes(dialect.deleteDoneOne(), row.ours()))
                    .collect(Collectors.toSet());
            notes.insert(sql, done);
            return done;
        });
    }

    /** In PostgreSQL, a statement deletes the row and notes it. */
    private boolean doneOne(RowKey row, StatementRows notes) {
        Object[] values = notes.values(row);
        if (values == null) {
            return sql.changes(dialect.deleteDoneOne(), row.ours());
        }
        String text = Dialect.noted(dialect.deleteDoneOne(), notes.insertion(), notes.types());
        Object[] all = Stream.of(row.ours(), sql.parameters(values))
                .flatMap(Arrays::stream)
                .toArray();
        return notes.attempt(() -> !sql.repeated(() -> sql.committed(jdbc -> sql.within(
                        StatementRows.LONGEST, jdbc, () -> jdbc.query(sql.text(text), (found, number) -> true, all))))
                .isEmpty());
    }

    /** Returns the number of the last parameter. */
    private static int setKeys(PreparedStatement statement, List<RowKey> rows) throws SQLException {
        setArray(statement, 1, "varchar", rows.stream().map(RowKey::handler).toArray(String[]::new));
        setArray(statement, 2, "varchar", rows.stream().map(RowKey::id).toArray(String[]::new));
        setArray(statement, 3, "bigint", rows.stream().map(RowKey::version).toArray(Long[]::new));
        return 3;
    }

    private static void setArray(PreparedStatement statement, int index, String type, @Nullable Object[] values)
            throws SQLException {
        Connection connection = statement.getConnection();
        statement.setArray(index, connection.createArrayOf(type, values));
    }

    /**
     * Locks those of some rows that are this node's and that nobody has locked, and returns them. In a transaction of
     * the caller's.
     */
    Set<RowKey> lockOurs(Collection<RowKey> rows) {
        return ours(rows, Dialect.SKIPPING_LOCKED);
    }

    /** Locks a row that is this node's, in a transaction of the caller's. */
    void lock(RowKey row) {
        boolean ignored = sql.finds("select 1 from {task}" + OURS + " for update", row.ours());
    }

    /**
     * Marks the claims whose rows a cancel has reached: they do not run again. Within the transaction that has locked
     * them, which may have read them before: without a lock, it would see them as they were.
     */
    void learnWhatIsAsked(Collection<Claim> claims) {
        Map<RowKey, Claim> byRow = claims.stream().collect(Collectors.toMap(Claim::key, claim -> claim));
        if (!byRow.isEmpty()) {
            ours(byRow.keySet(), " and asked_to_end = true for update")
                    .forEach(row -> Objects.requireNonNull(byRow.get(row)).isAskedToEnd = true);
        }
    }

    /** Returns those of some rows that are still this node's. */
    Set<RowKey> stillOurs(Collection<RowKey> rows) {
        return ours(rows, "");
    }

    private Set<RowKey> ours(Collection<RowKey> rows, String condition) {
        Set<RowKey> found = new HashSet<>();
        // In the order in which rows are locked.
        rows.stream()
                .sorted()
                .collect(Collectors.groupingBy(
                        RowKey::handler, TreeMap::new, Collectors.mapping(RowKey::id, Collectors.toList())))
                .forEach((handler, ids) -> {
                    // H2 finds several ids of a handler not by the key, but reads all rows of it.
                    int atOnce = dialect == Dialect.H2 ? 1 : ids.size();
                    for (int i = 0; i < ids.size(); i += atOnce) {
                        boolean ignored = found.addAll(sql.keys(
                                dialect.byKey() + " where task_name = ? and task_instance in ("
                                        + Dialect.placeholders(atOnce) + ")" + condition,
                                Stream.concat(Stream.of(handler), ids.subList(i, i + atOnce).stream())
                                        .toArray()));
                    }
                });
        // Another version may be another node's.
        boolean ignored = found.retainAll(Set.copyOf(rows));
        return found;
    }

    /** The state of a row whose end may have been committed. */
    enum Trace {
        /** Nobody has locked it, and it is still this node's: it was not, and is not going to be. */
        OURS,
        /** It is still this node's, but locked: it may be yet. */
        LOCKED,
        /** It is gone, or has another version. */
        GONE
    }

    Trace traceOf(RowKey row) {
        if (!lockOurs(List.of(row)).isEmpty()) {
            return Trace.OURS;
        }
        return sql.finds("select 1 from {task}" + OURS, row.ours()) ? Trace.LOCKED : Trace.GONE;
    }

    /** Schedules what is to follow a row when its run has ended. */
    boolean scheduleNext(RowKey row, byte[] payload, Instant at, OwnRetries retries, @Nullable Headers headers) {
        String next = "next_data = ?, next_format = null, next_time = ?, next_retries = ?, next_back_off_millis = ?,"
                + " next_max_back_off_millis = ?";
        if (headers != null) {
            return change(
                    row,
                    "next_traceparent = ?, next_origin_version = version, " + next,
                    headers.traceparent(),
                    payload,
                    dialect.time(at),
                    retries.retries(),
                    retries.backOffMillis(),
                    retries.maxBackOffMillis());
        }
        return change(
                row,
                next,
                payload,
                dialect.time(at),
                retries.retries(),
                retries.backOffMillis(),
                retries.maxBackOffMillis());
    }

    /** Changes a row whose run has failed, and keeps the span of that. */
    private boolean changeFailed(Claim claim, String changes, @Nullable Object... parameters) {
        if (!sql.keepsOrigins()) {
            return change(claim.key(), changes, parameters);
        }
        RowOrigin origin = claim.row().origin();
        List<@Nullable Object> all = new ArrayList<>();
        Collections.addAll(
                all,
                origin == null ? null : origin.traceparent(),
                origin == null ? null : origin.traceState(),
                claim.traceparent);
        Collections.addAll(all, parameters);
        return change(claim.key(), FAILED_ORIGIN + changes, all.toArray());
    }

    /** Changes a row that is still this node's. */
    private boolean change(RowKey row, String changes, @Nullable Object... parameters) {
        List<@Nullable Object> all = new ArrayList<>();
        Collections.addAll(all, parameters);
        Collections.addAll(all, row.ours());
        return sql.changes("update {task} set " + changes + OURS, all.toArray());
    }
}
