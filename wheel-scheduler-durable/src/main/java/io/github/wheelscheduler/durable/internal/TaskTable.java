package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.DurableOverview;
import io.github.wheelscheduler.durable.DurableTask;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;

/** The rows of tasks. What is called for users takes part in their transactions; what is called for a node is called where there is none. */
public final class TaskTable {

    public static final String DEFAULT_NAME = "wheel_durable_task";

    /** How a row is left that no node has any more: a paused one waits for nothing, and one that was to be ended is. */
    static final String FREED = " state = case when asked_to_end then " + RowState.ENDED
            + " when paused and regular_time is null then " + RowState.PAUSED + " else " + RowState.WAITING
            + " end, owner = null, version = {next}";

    /** How a row is left that has failed for good, or cannot be read, unless it was to be ended. */
    private static String keptAs(int state) {
        return " state = case when asked_to_end then " + RowState.ENDED + " else " + state
                + " end, owner = null, version = {next}";
    }

    static final String ONE = " where task_name = ? and task_instance = ?";
    static final String OURS = ONE + " and version = ?";

    private static final long OVERDUE_MILLIS = 1_000;

    private static final long NOTICE_MILLIS = 60_000;
    private static final String NOT_ENDED = " and t.state <> " + RowState.ENDED;

    private static final String SET_ASIDE = "Its process ended each time it ran";

    private final Sql sql;
    private final Dialect dialect;

    TaskTable(Sql sql) {
        this.sql = sql;
        this.dialect = sql.dialect();
    }

    public Instant now() {
        return sql.query(
                        "select " + dialect.now() + " as now_there",
                        (row, number) -> Objects.requireNonNull(sql.instant(row, "now_there")))
                .get(0);
    }

    // For users

    /** What is said too late of a row that is gone must not mean a new one of the same id. */
    private static long firstVersion() {
        return ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
    }

    boolean insert(String handler, String id, byte[] payload, Instant at) {
        return insert(handler, id, dialect.insert(), handler, id, payload, firstVersion(), dialect.time(at));
    }

    /** What has been ended is in nobody's way; but a recurring task that has ended stays so. */
    private boolean insert(String handler, String id, String statement, Object... parameters) {
        return insertOnce(statement, parameters)
                || (!handler.equals(Handler.RECURRING)
                        && deleteEnded(handler, id)
                        && insertOnce(statement, parameters));
    }

    private boolean insertOnce(String statement, Object... parameters) {
        try {
            return sql.update(statement, parameters) == 1;
        } catch (DuplicateKeyException ex) {
            // Only where a statement that fails leaves the transaction usable.
            return false;
        }
    }

    /** The same for so long from now. */
    boolean insertIn(String handler, String id, byte[] payload, Duration delay) {
        return insert(handler, id, dialect.insertIn(), handler, id, payload, firstVersion(), delay.toMillis());
    }

    /** Puts another task in place of one that no node has. */
    boolean replace(String handler, String id, byte[] payload, Instant at) {
        return sql.update(
                        "update {task} set task_data = ?, execution_time = ?, first_time = null, failure = null, "
                                + "next_time = null, next_data = null, consecutive_failures = 0, " + UNSUSPECTED
                                + ", asked_to_end = null, state = " + RowState.WAITING
                                + ", owner = null, version = {next}" + ONE + " and state <> "
                                + RowState.CLAIMED,
                        payload,
                        dialect.time(at),
                        handler,
                        id)
                == 1;
    }

    /** The arrays are sorted by id, so that two who insert the same wait for each other in one direction only. */
    int insertAll(String handler, String[] ids, byte[][] payloads, Instant[] times) {
        if (dialect != Dialect.POSTGRESQL) {
            int inserted = 0;
            for (int i = 0; i < ids.length; i++) {
                inserted += insert(handler, ids[i], payloads[i], times[i]) ? 1 : 0;
            }
            return inserted;
        }
        int inserted = insertArrays(handler, ids, payloads, times);
        return inserted < ids.length && deleteEnded(handler, ids) > 0
                ? inserted + insertArrays(handler, ids, payloads, times)
                : inserted;
    }

    private int insertArrays(String handler, String[] ids, byte[][] payloads, Instant[] times) {
        sql.commitThoughItIsLate();
        // One statement, not a batch: the text of a batch that fails quotes payloads.
        return sql.committed(jdbc -> jdbc.update(sql.text(Dialect.insertAll()), statement -> {
            Connection connection = statement.getConnection();
            statement.setString(1, handler);
            statement.setLong(2, firstVersion());
            statement.setArray(3, connection.createArrayOf("varchar", ids));
            statement.setArray(4, connection.createArrayOf("bytea", payloads));
            statement.setArray(5, connection.createArrayOf("timestamptz", times));
        }));
    }

    boolean delete(String handler, String id) {
        return sql.update(
                        "delete from {task}" + ONE + " and state not in (" + RowState.CLAIMED + ", " + RowState.ENDED
                                + ")",
                        handler,
                        id)
                == 1;
    }

    boolean move(String handler, String id, Instant at) {
        return sql.update(
                        "update {task} set execution_time = ?, first_time = null, version = {next}" + ONE
                                + " and state = " + RowState.WAITING,
                        dialect.time(at),
                        handler,
                        id)
                == 1;
    }

    boolean retry(String handler, String id) {
        return sql.update(
                        "update {task} set first_time = coalesce(first_time, execution_time), execution_time = {now}, "
                                + "failure = null, consecutive_failures = 0, " + UNSUSPECTED
                                + ", asked_to_end = null, state = " + RowState.WAITING
                                + ", owner = null, version = {next}" + ONE + " and state in (" + RowState.FAILED
                                + ", " + RowState.UNREADABLE + ")",
                        handler,
                        id)
                == 1;
    }

    // For users: ending what a node has

    /**
     * Asks the node that has a row to end it, and then says so in the row of the node; false if no node has it, or another transaction has locked it. Two transactions: a process
     * that stands still before its commit must not keep the node from saying that it lives.
     */
    boolean askToEnd(String handler, String id) {
        boolean isAsked = sql.inTransaction(() -> !sql.query(
                                "select 1 from {task}" + ONE + Dialect.SKIPPING_LOCKED,
                                (row, number) -> row.getInt(1),
                                handler,
                                id)
                        .isEmpty()
                && sql.update(
                                "update {task} set asked_to_end = true" + ONE + " and state = " + RowState.CLAIMED,
                                handler,
                                id)
                        == 1);
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
    Ending ending(String handler, String id) {
        return sql
                .query(
                        "select t.state, t.failure, t.asked_to_end, n.beat_at from {task} t left join {node} n on n.incarnation = t.owner"
                                + ONE,
                        this::readEnding,
                        handler,
                        id)
                .stream()
                .findFirst()
                .orElse(null);
    }

    private Ending readEnding(ResultSet row, int number) throws SQLException {
        return new Ending(
                row.getInt("state"),
                row.getString("failure") != null,
                row.getBoolean("asked_to_end"),
                sql.instant(row, "beat_at"));
    }

    /**
     * How far the end of a row has come.
     *
     * @param state as {@link RowState} has it
     * @param hasRun whether a run of it has ended, if it has ended
     * @param isAsked whether its node has been asked to end it
     * @param heardAt when the node that has it was heard of last; null if none has it, or that has gone
     */
    record Ending(
            int state,
            boolean hasRun,
            boolean isAsked,
            @Nullable Instant heardAt) {}

    /** Deletes a row that was to be ended, and that no node has. */
    boolean deleteAsked(String handler, String id) {
        return sql.update(
                        "delete from {task}" + ONE + " and asked_to_end = true and state <> " + RowState.CLAIMED,
                        handler,
                        id)
                == 1;
    }

    /** Deletes a row that has been ended. */
    private boolean deleteEnded(String handler, String id) {
        String isEnded = ONE + " and state = " + RowState.ENDED;
        // Looked for without a lock: MariaDB has one on a row that is there since the insert, as others have.
        return !sql.query("select 1 from {task}" + isEnded, (row, number) -> row.getInt(1), handler, id)
                        .isEmpty()
                && sql.update("delete from {task}" + isEnded, handler, id) == 1;
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

    /** Deletes rows that have been ended, and of which nobody has taken notice for a minute. */
    int deleteEnded() {
        return sql.update(
                "delete from {task} where state = " + RowState.ENDED + " and task_name <> '" + Handler.RECURRING
                        + "' and (last_failure is null or last_failure < " + dialect.earlier() + ")",
                NOTICE_MILLIS);
    }

    /** Deletes some one-time tasks that have failed for good so long ago; returns how many. */
    int deleteFailed(Duration age, int limit) {
        String old = dialect.earlier();
        List<RowKey> rows = sql.query(
                "select task_name, task_instance, version from {task} where state = " + RowState.FAILED
                        + " and task_name <> '" + Handler.RECURRING + "' and last_failure < " + old + " limit " + limit,
                TaskTable::readKey,
                age.toMillis());
        return sql.updateEach(
                "delete from {task}" + OURS + " and state = " + RowState.FAILED,
                rows.stream()
                        .sorted()
                        .map(row -> new Object[] {row.handler(), row.id(), row.version()})
                        .toList());
    }

    // For users: looking

    Optional<DurableTask> find(String handler, String id) {
        return sql.query(withOwner(ONE + NOT_ENDED), this::read, handler, id).stream()
                .findFirst();
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

    static String withOwner(String condition) {
        return "select t.*, n.name as owner_name from {task} t left join {node} n on n.incarnation = t.owner"
                + condition;
    }

    private DurableTask read(ResultSet row, int number) throws SQLException {
        Instant dueAt = sql.instant(row, "execution_time");
        return new DurableTask(
                row.getString("task_name"),
                row.getString("task_instance"),
                dueAt == null ? Instant.EPOCH : dueAt,
                RowState.read(row.getInt("state")),
                ownerOf(row),
                row.getInt("consecutive_failures"),
                sql.instant(row, "last_failure"),
                row.getString("failure"));
    }

    /** Returns the name of the node that has a row, or its incarnation where nobody knows the name any more; null if none has. */
    static @Nullable String ownerOf(ResultSet row) throws SQLException {
        String name = row.getString("owner_name");
        return name == null ? row.getString("owner") : name;
    }

    /** Returns how many rows each incarnation has. */
    Map<Long, Integer> claimedByOwner() {
        Map<Long, Integer> counts = new LinkedHashMap<>();
        sql.query(
                        "select owner, count(*) from {task} where owner is not null group by owner",
                        (row, number) -> Map.entry(row.getLong(1), row.getInt(2)))
                .forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
        return counts;
    }

    /** Counts what could have been claimed a second ago, up to a limit. */
    int overdue() {
        int overdue = 0;
        for (String handler : sql.query(dialect.waitingNames(), (row, number) -> row.getString(1))) {
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

    // For nodes: what is due

    /**
     * Returns how much is due within some time.
     *
     * @param names of handlers, of which each is counted up to a limit
     * @param recurring ids of recurring tasks
     * @param marks from when on, by name, or by that of all recurring tasks; what is left out there is counted from the beginning
     * @param fullLooksToo whether to read how many looks at all that waits nodes have asked for
     */
    Due countDue(
            List<String> names,
            int limit,
            List<String> recurring,
            Duration ahead,
            Map<String, Instant> marks,
            boolean fullLooksToo) {
        Map<String, Candidates> due = new LinkedHashMap<>();
        if (names.isEmpty() && recurring.isEmpty()) {
            return new Due(due, 0);
        }
        List<Object> parameters = new ArrayList<>();
        for (String name : names) {
            parameters.addAll(List.of(name, name, since(marks, name), ahead.toMillis()));
        }
        if (!recurring.isEmpty()) {
            parameters.addAll(recurring);
            parameters.addAll(List.of(since(marks, Handler.RECURRING), ahead.toMillis()));
        }
        long fullLooks = 0;
        for (Map.Entry<String, Candidates> each : sql.queryPlanned(
                dialect.countDue(names.size(), limit, recurring.size(), fullLooksToo),
                this::readCandidates,
                parameters.toArray())) {
            if (each.getKey().isEmpty()) {
                fullLooks = each.getValue().count();
            } else if (each.getValue().count() > 0) {
                Candidates ignored = due.put(each.getKey(), each.getValue());
            }
        }
        return new Due(due, fullLooks);
    }

    private Object since(Map<String, Instant> marks, String name) {
        Instant mark = marks.getOrDefault(name, Arguments.EARLIEST);
        return mark.equals(Arguments.EARLIEST) ? dialect.ever() : dialect.time(mark);
    }

    private Map.Entry<String, Candidates> readCandidates(ResultSet row, int number) throws SQLException {
        Instant earliest = sql.instant(row, "earliest");
        return Map.entry(
                row.getString("handler"),
                new Candidates(
                        row.getLong("due"),
                        earliest == null || earliest.isBefore(Arguments.EARLIEST) ? Arguments.EARLIEST : earliest));
    }

    /**
     * What is due.
     *
     * @param candidates by the names of {@link RowKey#handlerName}; handlers of which nothing is are left out
     * @param fullLooks how many looks at all that waits nodes have asked for; 0 where that was not read
     */
    record Due(Map<String, Candidates> candidates, long fullLooks) {}

    /** How much of a handler is due, and when the first of it is. */
    record Candidates(long count, Instant earliest) {}

    /**
     * Claims rows that are due within some time, for an incarnation; returns them, the earliest first.
     *
     * @param limits how many of each name
     * @param recurring ids of recurring tasks
     * @param marks from when on, as for {@link #countDue}
     * @param suspectsToo whether those may be among them that may have killed other nodes
     */
    List<TaskRow> claim(
            long owner,
            Duration ahead,
            Map<String, Integer> limits,
            List<String> recurring,
            Map<String, Instant> marks,
            boolean suspectsToo) {
        List<Integer> sizes = new ArrayList<>();
        List<List<Object>> parameters = new ArrayList<>();
        limits.forEach((name, limit) -> {
            sizes.add(limit);
            parameters.add(List.of(name, since(marks, name), ahead.toMillis()));
        });
        if (!recurring.isEmpty()) {
            List<Object> ids = new ArrayList<>(recurring);
            ids.addAll(List.of(since(marks, Handler.RECURRING), ahead.toMillis()));
            parameters.add(ids);
        }
        return claim(owner, dialect.lockDue(sizes, recurring.size(), suspectsToo), parameters);
    }

    /** Claims some rows of a name that no node could read so far and whose pause is over. */
    List<TaskRow> claimUnreadable(long owner, String name, int limit) {
        return claim(owner, List.of(dialect.lockUnreadable(limit)), List.of(List.of(name)));
    }

    /**
     * The same whether their pause is over or not.
     *
     * @param from only those whose pause is over then, or later
     * @param since only rows that have not been tried since then
     */
    List<TaskRow> claimUnreadable(long owner, String name, Instant from, Instant since, int limit) {
        return claim(
                owner,
                List.of(dialect.lockUntried(limit)),
                List.of(List.of(name, dialect.time(from), dialect.time(since))));
    }

    private List<TaskRow> claim(long owner, List<String> locking, List<List<Object>> parameters) {
        if (locking.isEmpty()) {
            return List.of();
        }
        if (dialect.claimsInOneStatement()) {
            List<Object> all = new ArrayList<>();
            parameters.forEach(all::addAll);
            all.add(owner);
            return sql.queryPlanned(Dialect.claim(locking), this::readRow, all.toArray());
        }
        return sql.inTransaction(() -> {
            List<TaskRow> due = new ArrayList<>();
            for (int i = 0; i < locking.size(); i++) {
                due.addAll(sql.query(
                        locking.get(i), this::readRow, parameters.get(i).toArray()));
            }
            leaveOneSuspect(due);
            int ignored = sql.updateEach(
                    Dialect.pick(),
                    due.stream()
                            .map(row -> new Object[] {
                                owner, row.key().handler(), row.key().id()
                            })
                            .toList());
            return due.stream()
                    .map(TaskTable::withNextVersion)
                    .sorted(Comparator.comparing(TaskRow::dueAt))
                    .toList();
        });
    }

    /** As {@link Dialect#claim} does it in its statement. */
    private static void leaveOneSuspect(List<TaskRow> rows) {
        TaskRow first = rows.stream().filter(TaskRow::isSuspect).findFirst().orElse(null);
        boolean ignored = rows.removeIf(row -> row.isSuspect() && row != first);
    }

    private static TaskRow withNextVersion(TaskRow row) {
        RowKey key = row.key();
        return row.with(new RowKey(key.handler(), key.id(), key.version() % Long.MAX_VALUE + 1), row.dueAt());
    }

    private TaskRow readRow(ResultSet row, int number) throws SQLException {
        Instant dueAt = Objects.requireNonNullElse(sql.instant(row, "execution_time"), Instant.EPOCH);
        return new TaskRow(
                readKey(row, number),
                row.getBytes("task_data"),
                dueAt,
                Objects.requireNonNullElse(sql.instant(row, "first_time"), dueAt),
                row.getInt("consecutive_failures"),
                sql.instant(row, "last_success"),
                sql.instant(row, "last_failure"),
                row.getInt("unreadable"),
                row.getInt("suspicions"),
                row.getInt("deaths"));
    }

    private static RowKey readKey(ResultSet row, int number) throws SQLException {
        return new RowKey(row.getString("task_name"), row.getString("task_instance"), row.getLong("version"));
    }

    // For nodes: what they have claimed

    /** Whether an incarnation is alive and still has a row. */
    boolean isOurs(long incarnation, RowKey row) {
        return !sql.query(
                        "select 1 from {task}" + OURS
                                + " and owner = ? and exists (select 1 from {node} where incarnation = ? and state < "
                                + NodeTable.DEAD + ")",
                        (result, number) -> result.getInt(1),
                        row.handler(),
                        row.id(),
                        row.version(),
                        incarnation,
                        incarnation)
                .isEmpty();
    }

    /** Marks a row that a suspect is about to run: if its node dies now, that counts. False if it is not this incarnation's any more. */
    boolean mark(RowKey row) {
        return change(row, "marked = true");
    }

    /** Reads the payload of a row that was too long to come with the claim; null if it is not this node's any more. */
    byte @Nullable [] payload(RowKey row) {
        List<byte[]> found = sql.query(
                "select coalesce(task_data, " + dialect.noBytes() + ") from {task}" + OURS,
                (result, number) -> result.getBytes(1),
                row.handler(),
                row.id(),
                row.version());
        return found.isEmpty() ? null : found.get(0);
    }

    /** Returns what an incarnation has and is to end. */
    List<RowKey> askedOf(long incarnation) {
        return sql.query(
                "select task_name, task_instance, version from {task} where owner = ? and asked_to_end = true",
                TaskTable::readKey,
                incarnation);
    }

    /** Ends a row that is to be ended. */
    boolean end(RowKey row, Instant now, @Nullable String how) {
        return change(row, "last_failure = ?, failure = " + dialect.text() + "," + FREED, dialect.time(now), how);
    }

    /** Returns what an incarnation has. */
    List<RowKey> ownedBy(long incarnation) {
        return sql.query(
                "select task_name, task_instance, version from {task} where owner = ?",
                TaskTable::readKey,
                incarnation);
    }

    /** Lets others claim rows that have not run, as they are; returns how many were still this node's. */
    int giveBack(Collection<RowKey> rows) {
        return sql.updateEach(
                "update {task} set marked = null," + FREED + OURS,
                rows.stream()
                        .sorted()
                        .map(row -> new Object[] {row.handler(), row.id(), row.version()})
                        .toList());
    }

    /**
     * Lets others claim some rows of an incarnation that is dead, but for locked ones; returns how many. In a transaction of the caller's.
     *
     * @param isSuspicious whether it may have died of one of them
     * @param maxDeaths after how many deaths a one-time task is set aside; 0 for never
     */
    int freeSomeOf(long incarnation, boolean isSuspicious, int maxDeaths, int limit) {
        List<RowKey> rows = sql.query(
                "select task_name, task_instance, version from {task} where owner = ? limit " + limit
                        + Dialect.SKIPPING_LOCKED,
                TaskTable::readKey,
                incarnation);
        return sql.updateEach(
                (isSuspicious ? suspecting(maxDeaths) : "update {task} set marked = null," + FREED) + ONE,
                rows.stream()
                        .sorted()
                        .map(row -> new Object[] {row.handler(), row.id()})
                        .toList());
    }

    /** What is read from columns stands before they are set: MariaDB sets one after another. */
    private static String suspecting(int maxDeaths) {
        String deaths = "coalesce(deaths, 0) + case when marked then 1 else 0 end";
        String isSetAside =
                "marked and " + deaths + " >= " + maxDeaths + " and task_name <> '" + Handler.RECURRING + "'";
        String freed = maxDeaths == 0
                ? FREED
                : " failure = case when " + isSetAside + " then '" + SET_ASIDE + "' else failure end,"
                        + FREED.replace(
                                " when paused", " when " + isSetAside + " then " + RowState.FAILED + " when paused")
                        + ", last_failure = case when " + isSetAside + " then {now} else last_failure end";
        return "update {task} set" + freed + ", suspicions = coalesce(suspicions, 0) + 1, deaths = " + deaths
                + ", marked = null";
    }

    // For nodes: how runs end. False if the row is not this node's any more.

    /** Keeps a row that has failed for good. */
    boolean giveUp(RowKey row, int failures, Instant now, String failure) {
        return change(
                row,
                "consecutive_failures = ?, last_failure = ?, failure = ?, " + UNSUSPECTED + ","
                        + keptAs(RowState.FAILED),
                failures,
                dialect.time(now),
                failure);
    }

    private static final String DUE_AGAIN = "first_time = coalesce(first_time, execution_time), execution_time = ?, ";

    static final String UNSUSPECTED = "unreadable = null, suspicions = null, marked = null, deaths = null";

    /** Lets a row wait for another run after one has failed. */
    boolean tryAgain(RowKey row, Instant at, int failures, Instant failedAt) {
        return change(
                row,
                DUE_AGAIN + "consecutive_failures = ?, last_failure = ?, " + UNSUSPECTED + "," + FREED,
                dialect.time(at),
                failures,
                dialect.time(failedAt));
    }

    /** Sets a row aside that this node cannot read, until some time. */
    boolean setAside(RowKey row, Instant until, int times, Instant now, String why) {
        return change(
                row,
                DUE_AGAIN + "unreadable = ?, last_failure = ?, failure = ?, marked = null,"
                        + keptAs(RowState.UNREADABLE),
                dialect.time(until),
                times,
                dialect.time(now),
                why);
    }

    /** Lets others claim a row whose run came to no end that counts. */
    boolean giveBack(RowKey row) {
        return giveBack(List.of(row)) == 1;
    }

    /** Deletes a row that has run, or lets it wait for what its run has scheduled in its place. */
    boolean done(RowKey row) {
        return sql.update(
                                "delete from {task}" + OURS + " and next_time is null",
                                row.handler(),
                                row.id(),
                                row.version())
                        == 1
                || change(
                        row,
                        "task_data = next_data, execution_time = next_time, first_time = null, next_time = null, "
                                + "next_data = null, consecutive_failures = 0, failure = null, " + UNSUSPECTED + ","
                                + FREED);
    }

    /** Deletes those of some rows that have run, are this node's, that nobody has locked, and that nothing is to follow; returns them. The rows are sorted. */
    Set<RowKey> doneAll(List<RowKey> rows) {
        if (dialect == Dialect.POSTGRESQL) {
            return new HashSet<>(sql.committedPlanned(jdbc -> jdbc.query(
                    sql.text(Dialect.deleteDone()), statement -> setKeys(statement, rows), TaskTable::readKey)));
        }
        if (rows.size() == 1 || !dialect.findsManyIds()) {
            return doneEach(rows);
        }
        return sql.inTransaction(() -> {
            Set<RowKey> ours = ours(rows, " and next_time is null" + Dialect.SKIPPING_LOCKED);
            // One by one, by the key: a scan of the table would wait for what others have locked.
            int ignored = sql.updateEach(
                    "delete from {task}" + ONE,
                    ours.stream()
                            .sorted()
                            .map(row -> new Object[] {row.handler(), row.id()})
                            .toList());
            return ours;
        });
    }

    /** Does the same one by one, and commits them together; by a statement that is prepared, so that its plan may be of a time when the table was small. */
    Set<RowKey> doneEach(List<RowKey> rows) {
        Set<RowKey> done = new HashSet<>();
        try {
            int[] counts = sql.updateEachOf(
                    dialect.deleteDoneOne(),
                    rows.stream()
                            .map(row -> new Object[] {row.handler(), row.id(), row.version()})
                            .toList());
            for (int i = 0; i < counts.length; i++) {
                if (counts[i] != 0) {
                    boolean ignored = done.add(rows.get(i));
                }
            }
        } catch (RuntimeException ex) {
            if (!Availability.isConflict(ex)) {
                throw ex;
            }
        }
        return done;
    }

    private static void setKeys(PreparedStatement statement, List<RowKey> rows) throws SQLException {
        Connection connection = statement.getConnection();
        statement.setArray(
                1,
                connection.createArrayOf(
                        "varchar", rows.stream().map(RowKey::handler).toArray()));
        statement.setArray(
                2,
                connection.createArrayOf(
                        "varchar", rows.stream().map(RowKey::id).toArray()));
        statement.setArray(
                3,
                connection.createArrayOf(
                        "bigint", rows.stream().map(RowKey::version).toArray()));
    }

    /** Locks those of some rows that are this node's and that nobody has locked, and returns them. In a transaction of the caller's. */
    Set<RowKey> lockOurs(Collection<RowKey> rows) {
        return ours(rows, Dialect.SKIPPING_LOCKED);
    }

    /** Returns those of some rows that are still this node's. */
    Set<RowKey> stillOurs(Collection<RowKey> rows) {
        return ours(rows, "");
    }

    private Set<RowKey> ours(Collection<RowKey> rows, String condition) {
        Set<RowKey> found = new HashSet<>();
        byHandler(rows).forEach((handler, ids) -> {
            int atOnce = dialect.findsManyIds() ? ids.size() : 1;
            for (int i = 0; i < ids.size(); i += atOnce) {
                boolean ignored = found.addAll(sql.query(
                        "select task_name, task_instance, version from {task}" + dialect.byKey() + anyOf(atOnce)
                                + condition,
                        TaskTable::readKey,
                        withName(handler, ids.subList(i, i + atOnce))));
            }
        });
        // Another version may be another node's.
        boolean ignored = found.retainAll(Set.copyOf(rows));
        return found;
    }

    /** Returns the ids of each handler, both in the order in which rows are locked. */
    private static Map<String, List<String>> byHandler(Collection<RowKey> rows) {
        return rows.stream()
                .sorted()
                .collect(Collectors.groupingBy(
                        RowKey::handler, TreeMap::new, Collectors.mapping(RowKey::id, Collectors.toList())));
    }

    private static String anyOf(int ids) {
        return " where task_name = ? and task_instance in (" + Dialect.placeholders("?", ids) + ")";
    }

    private static Object[] withName(String handler, List<String> ids) {
        return Stream.concat(Stream.of(handler), ids.stream()).toArray();
    }

    /** What can be seen of a row whose end may have been committed. */
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
        return sql.query(
                                "select 1 from {task}" + OURS,
                                (result, number) -> result.getInt(1),
                                row.handler(),
                                row.id(),
                                row.version())
                        .isEmpty()
                ? Trace.GONE
                : Trace.LOCKED;
    }

    /** Schedules what is to follow a row when its run has ended. */
    boolean scheduleNext(RowKey row, byte[] payload, Instant at) {
        return change(row, "next_data = ?, next_time = ?", payload, dialect.time(at));
    }

    /** Changes a row that is still this node's. */
    private boolean change(RowKey row, String changes, @Nullable Object... parameters) {
        List<@Nullable Object> all = new ArrayList<>();
        Collections.addAll(all, parameters);
        all.addAll(List.of(row.handler(), row.id(), row.version()));
        return sql.update("update {task} set " + changes + OURS, all.toArray()) == 1;
    }

    /**
     * A row as a node has claimed it: each change of hands gives it another version. Ordered as several are locked.
     *
     * @param handler the name of its handler, or {@link Handler#RECURRING} for all recurring tasks
     * @param id which task it is of that handler
     * @param version of the row
     */
    record RowKey(String handler, String id, long version) implements Comparable<RowKey> {

        private static final Comparator<RowKey> ORDER =
                Comparator.comparing(RowKey::handler).thenComparing(RowKey::id).thenComparingLong(RowKey::version);

        @Override
        public int compareTo(RowKey other) {
            return ORDER.compare(this, other);
        }

        /** Returns the name by which a node knows its handler: each recurring task is a handler of its own. */
        String handlerName() {
            return handler.equals(Handler.RECURRING) ? handler + id : handler;
        }
    }

    /**
     * A row that a node has claimed.
     *
     * @param payload null if it was too long to come with the claim
     * @param dueAt when it is due, by the database's clock
     * @param firstDueAt when it was due at first, before retries
     * @param failures how many runs have failed in a row
     * @param lastSuccessAt when the last run ended that did not fail; null if none has
     * @param lastFailureAt when the last run failed; null if none has
     * @param unreadable how often in a row it could not be read
     * @param suspicions how many nodes in a row died that had claimed it
     * @param deaths how many of these died while it ran alone as a suspect
     */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares rows
    record TaskRow(
            RowKey key,
            byte @Nullable [] payload,
            Instant dueAt,
            Instant firstDueAt,
            int failures,
            @Nullable Instant lastSuccessAt,
            @Nullable Instant lastFailureAt,
            int unreadable,
            int suspicions,
            int deaths) {

        /** From so many on, the task may have killed the nodes: it runs with a mark, and one such task at a time on a node. */
        static final int SUSPECT = 2;

        boolean isSuspect() {
            return suspicions >= SUSPECT;
        }

        private TaskRow with(RowKey newKey, Instant newDueAt) {
            return new TaskRow(
                    newKey,
                    payload,
                    newDueAt,
                    firstDueAt,
                    failures,
                    lastSuccessAt,
                    lastFailureAt,
                    unreadable,
                    suspicions,
                    deaths);
        }

        /** Returns it as one that is due by then. */
        TaskRow dueBy(Instant time) {
            return dueAt.isAfter(time) ? with(key, time) : this;
        }

        /** Without the payload, which may be secret. */
        @Override
        public String toString() {
            return key.handler().equals(Handler.RECURRING) ? key.handlerName() : key.handler() + " " + key.id();
        }
    }

    /** What a row is, as the column {@code state} has it. */
    static final class RowState {

        /** It waits for its time, and can be claimed. */
        static final int WAITING = 0;

        /** The incarnation in {@code owner} has it. */
        static final int CLAIMED = 1;

        /** It has failed for good. */
        static final int FAILED = 2;

        /** No node could read it; {@code execution_time} is when it is tried again. */
        static final int UNREADABLE = 3;

        /** It is a recurring task that is paused, and no node has it. */
        static final int PAUSED = 4;

        /** It is a recurring task whose schedule has ended, or a one-time task that its node has ended, as it was asked to. */
        static final int ENDED = 5;

        /** As users call the first ones. */
        private static final List<DurableTask.State> STATES = List.of(
                DurableTask.State.SCHEDULED,
                DurableTask.State.CLAIMED,
                DurableTask.State.FAILED,
                DurableTask.State.UNREADABLE);

        private RowState() {}

        /** Returns what users call a state. */
        static DurableTask.State read(int state) {
            return state < STATES.size() ? STATES.get(state) : DurableTask.State.SCHEDULED;
        }

        /** Returns the state that users call so. */
        static int of(DurableTask.State state) {
            return STATES.indexOf(state);
        }
    }
}
