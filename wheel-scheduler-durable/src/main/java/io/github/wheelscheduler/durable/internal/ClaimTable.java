package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.RowKey.ONE;
import static io.github.wheelscheduler.durable.internal.RowKey.OURS;
import static io.github.wheelscheduler.durable.internal.row.RowState.FREED;

import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.internal.TaskRow.Made;
import io.github.wheelscheduler.durable.internal.row.RowState;
import io.github.wheelscheduler.durable.internal.trace.RowOrigin;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.RowMapper;

/**
 * The rows of tasks, as nodes look for them, claim them, and lose or give back what they have. Called where there is no
 * transaction, unless it says so.
 */
record ClaimTable(Sql sql, Dialect dialect) {

    /** The failure of a task that has ended the processes of nodes. */
    static final String KILLED = "Its process ended each time it ran";

    private static final int GIVEN_BACK_AT_ONCE = 500;
    private static final String GIVE_BACK = "update {task} set marked = null," + FREED + OURS;
    private static final String WAITING_STATES = RowState.WAITING + ", " + RowState.UNREADABLE;

    // What is due

    /**
     * Returns how much is due within some time.
     *
     * @param names of handlers, of which each is counted up to a limit
     * @param recurring ids of recurring tasks
     * @param marks from when on, by name, or by that of all recurring tasks; what is left out there is counted from the
     *     beginning
     * @param fullLooksToo whether to read the number of times that nodes have asked for a poll of all waiting rows
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

    /**
     * Returns the same for recurring tasks that are made at run time for some handlers, by the names of {@link
     * TaskRow#lookName}.
     */
    Map<String, Candidates> countDueMade(List<String> handlers, Duration ahead, Map<String, Instant> marks) {
        Map<String, Candidates> due = new LinkedHashMap<>();
        if (handlers.isEmpty()) {
            return due;
        }
        List<Object> parameters = new ArrayList<>(handlers);
        parameters.addAll(List.of(since(marks, Handler.MADE), ahead.toMillis()));
        for (Map.Entry<String, Candidates> each :
                sql.queryPlanned(dialect.countDueMade(handlers.size()), this::readCandidates, parameters.toArray())) {
            Candidates ignored = due.put(Made.MARK + Handler.known(each.getKey()), each.getValue());
        }
        return due;
    }

    private Object since(Map<String, Instant> marks, String name) {
        Instant mark = marks.getOrDefault(name, Arguments.EARLIEST);
        return mark.equals(Arguments.EARLIEST) ? dialect.ever() : dialect.time(mark);
    }

    private Map.Entry<String, Candidates> readCandidates(ResultSet row, int number) throws SQLException {
        Instant earliest = dialect.instant(row, "earliest");
        return Map.entry(
                row.getString("handler"),
                new Candidates(
                        row.getLong("due"),
                        earliest == null || earliest.isBefore(Arguments.EARLIEST) ? Arguments.EARLIEST : earliest));
    }

    /**
     * The due rows.
     *
     * @param candidates the due rows by the names of {@link RowKey#handlerName}; handlers without any are left out
     * @param fullLooks the number of times that nodes have asked for a poll of all waiting rows; 0 where that was not
     *     read
     */
    record Due(Map<String, Candidates> candidates, long fullLooks) {}

    /** The due rows of a handler: their number, and the first due time. */
    record Candidates(long count, Instant earliest) {}

    /**
     * Claims rows that are due within some time, for an incarnation; returns them, the earliest first.
     *
     * @param limits the maximum number of rows of each name
     * @param recurring ids of recurring tasks
     * @param marks the times from which on rows count, as for {@link #countDue}
     * @param suspectsToo whether rows that may have killed other nodes may be among them
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
        return claim(owner, dialect.lockDue(sizes, recurring.size(), suspectsToo), parameters, false);
    }

    /**
     * Claims recurring tasks that are made at run time.
     *
     * @param limits the maximum number of rows of each handler
     */
    List<TaskRow> claimMade(
            long owner, Duration ahead, Map<String, Integer> limits, Map<String, Instant> marks, boolean suspectsToo) {
        List<Integer> sizes = new ArrayList<>();
        List<List<Object>> parameters = new ArrayList<>();
        limits.forEach((handler, limit) -> {
            sizes.add(limit);
            parameters.add(List.of(handler, since(marks, Handler.MADE), ahead.toMillis()));
        });
        return claim(owner, ofMade(dialect.lockDue(sizes, 0, suspectsToo)), parameters, true);
    }

    private static List<String> ofMade(List<String> statements) {
        return statements.stream().map(Dialect::ofMade).toList();
    }

    /**
     * Claims some rows of a name of {@link TaskRow#lookName} that no node could read so far and whose pause is over.
     */
    List<TaskRow> claimUnreadable(long owner, String name, int limit) {
        return claimKept(owner, name, dialect.lockUnreadable(limit), List.of());
    }

    private List<TaskRow> claimKept(long owner, String name, String locking, List<Object> parameters) {
        boolean isMade = name.startsWith(Made.MARK);
        List<Object> all = new ArrayList<>(List.of(isMade ? name.substring(Made.MARK.length()) : name));
        all.addAll(parameters);
        List<String> statements = List.of(locking);
        return claim(owner, isMade ? ofMade(statements) : statements, List.of(all), isMade);
    }

    /**
     * The same whether their pause is over or not.
     *
     * @param from only those whose pause is over then, or later
     * @param since only rows that have not been tried since then
     */
    List<TaskRow> claimUnreadable(long owner, String name, Instant from, Instant since, int limit) {
        return claimKept(owner, name, dialect.lockUntried(limit), List.of(dialect.time(from), dialect.time(since)));
    }

    private List<TaskRow> claim(long owner, List<String> locking, List<List<Object>> parameters, boolean isMade) {
        if (locking.isEmpty()) {
            return List.of();
        }
        RowOrigin.Columns origin = sql.origin();
        RowMapper<TaskRow> read =
                (row, number) -> isMade ? TaskRow.readMade(row, dialect, origin) : TaskRow.read(row, dialect, origin);
        if (dialect == Dialect.POSTGRESQL) {
            List<Object> all = new ArrayList<>();
            parameters.forEach(all::addAll);
            all.add(owner);
            String claiming = Dialect.claim(locking);
            return sql.queryPlanned(isMade ? Dialect.ofMade(claiming) : claiming, read, all.toArray());
        }
        return sql.inTransaction(() -> {
            List<TaskRow> due = new ArrayList<>();
            for (int i = 0; i < locking.size(); i++) {
                due.addAll(sql.query(locking.get(i), read, parameters.get(i).toArray()));
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
                    .map(TaskRow::withNextVersion)
                    .sorted(Comparator.comparing(TaskRow::dueAt))
                    .toList();
        });
    }

    /** As {@link Dialect#claim} does it in its statement. */
    private static void leaveOneSuspect(List<TaskRow> rows) {
        TaskRow first = rows.stream().filter(TaskRow::isSuspect).findFirst().orElse(null);
        boolean ignored = rows.removeIf(row -> row.isSuspect() && row != first);
    }

    // What a transaction has

    /**
     * Returns what waits, but for recurring tasks of methods, the earliest first, as the transaction of the caller sees
     * it. A row that could not be read waits for its next try.
     *
     * @param until only rows that are due at that time; null for all
     */
    List<TaskRow> waiting(@Nullable Instant until) {
        return sql.query(
                "select " + Dialect.MADE_COLUMNS + " from {task} where state in (" + WAITING_STATES
                        + ") and task_name <> '" + Handler.RECURRING + "'"
                        + (until == null ? "" : " and execution_time <= ?")
                        + " order by execution_time, task_name, task_instance",
                (row, number) -> row.getString("task_name").equals(Handler.MADE)
                        ? TaskRow.readMade(row, dialect, sql.origin())
                        : TaskRow.read(row, dialect, sql.origin()),
                until == null ? new Object[0] : new Object[] {dialect.time(until)});
    }

    /** Claims a row for an incarnation in the transaction of the caller; false if it does not wait any more. */
    boolean pick(long owner, RowKey row) {
        return sql.changes(
                Dialect.pick() + " and version = ? and state in (" + WAITING_STATES + ")",
                owner,
                row.handler(),
                row.id(),
                row.version());
    }

    // What a node has

    /** Whether an incarnation is alive and still has a row. */
    boolean isOurs(long incarnation, RowKey row) {
        return sql.finds(
                "select 1 from {task}" + OURS
                        + " and owner = ? and exists (select 1 from {node} where incarnation = ? and state < "
                        + NodeTable.DEAD + ")",
                row.handler(),
                row.id(),
                row.version(),
                incarnation,
                incarnation);
    }

    /**
     * Marks a row that a suspect is about to run: if its node dies now, that counts. False if it is not this
     * incarnation's any more.
     */
    boolean mark(RowKey row) {
        return sql.changes("update {task} set marked = true" + OURS, row.ours());
    }

    /** Reads the payload of a row that was too long to come with the claim; null if it is not this node's any more. */
    byte @Nullable [] payload(RowKey row) {
        return sql.first(
                "select coalesce(task_data, " + dialect.noBytes() + ") from {task}" + OURS,
                (result, number) -> result.getBytes(1),
                row.ours());
    }

    /** Returns what an incarnation has and is to end. The run of a recurring task goes on to its own end. */
    List<RowKey> askedOf(long incarnation) {
        return sql.keys(
                " where owner = ? and asked_to_end = true and task_name <> '" + Handler.MADE + "'", incarnation);
    }

    /** Returns what an incarnation has. */
    List<RowKey> ownedBy(long incarnation) {
        return sql.keys(" where owner = ?", incarnation);
    }

    /** Releases rows that have not run, unless they are locked. Returns the released ones. */
    Set<RowKey> giveBack(Collection<RowKey> rows) {
        Set<RowKey> given = new HashSet<>();
        List<RowKey> all = List.copyOf(rows);
        for (int i = 0; i < all.size(); i += GIVEN_BACK_AT_ONCE) {
            List<RowKey> some = all.subList(i, Math.min(all.size(), i + GIVEN_BACK_AT_ONCE));
            boolean ignored = given.addAll(sql.inTransaction(() -> {
                Set<RowKey> ours = new EndTable(sql, dialect).lockOurs(some);
                int unused = sql.updateEach(GIVE_BACK, ours, RowKey::ours);
                return ours;
            }));
        }
        return given;
    }

    /** Whether a row that has been given back has been ended with that, as a user has asked for. */
    boolean isEnded(TaskRow given) {
        return sql.finds(
                "select 1 from {task}" + OURS + " and state = " + RowState.ENDED,
                given.withNextVersion().key().ours());
    }

    /** Releases one that only the caller may have locked. Returns false if this node no longer had it. */
    boolean giveBack(RowKey row) {
        return sql.changes(GIVE_BACK, row.ours());
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

    /**
     * Lets others claim some rows of an incarnation that is dead, but for locked ones. In a transaction of the
     * caller's.
     *
     * @param isSuspicious whether it may have died of one of them
     * @param maxDeaths the number of deaths after which a one-time task is kept as failed; 0 for never
     * @param isListened whether listeners receive them
     */
    Freed freeSomeOf(long incarnation, boolean isSuspicious, int maxDeaths, int limit, boolean isListened) {
        List<RowKey> rows = sql.keys(" where owner = ? limit " + limit + Dialect.SKIPPING_LOCKED, incarnation);
        int count = sql.updateEach(
                (isSuspicious ? suspecting(maxDeaths) : "update {task} set marked = null," + FREED) + ONE,
                rows,
                RowKey::one);
        return new Freed(count, isListened ? rows.stream().map(this::freed).toList() : List.of());
    }

    /** Returns what has become of a row that has been freed, and is still locked. */
    private FreedRow freed(RowKey row) {
        return sql.query(
                        "select coalesce(made_for, task_name) as handler, execution_time, state, consecutive_failures,"
                                + " earlier_attempts, failure from {task}" + ONE,
                        (result, number) -> new FreedRow(
                                dialect.dueAt(result),
                                new DurableEnd(
                                        switch (result.getInt("state")) {
                                            case RowState.FAILED -> DurableEnd.Kind.GIVEN_UP;
                                            case RowState.ENDED -> DurableEnd.Kind.CANCELLED;
                                            default -> DurableEnd.Kind.TAKEN_OVER;
                                        },
                                        result.getString("handler"),
                                        row.id(),
                                        (int) Math.min(
                                                Integer.MAX_VALUE,
                                                (long) result.getInt("earlier_attempts")
                                                        + result.getInt("consecutive_failures")),
                                        null,
                                        result.getInt("state") == RowState.FAILED ? result.getString("failure") : null,
                                        null)),
                        row.one())
                .get(0);
    }

    /** A row that was freed, and how it has ended. */
    record FreedRow(Instant dueAt, DurableEnd end) {}

    /**
     * Rows that were freed.
     *
     * @param rows the ones that listeners receive after the commit
     */
    record Freed(int count, List<FreedRow> rows) {

        static final Freed NOTHING = new Freed(0, List.of());
    }

    /** Columns are read before they are set: MariaDB sets one after another. */
    private static String suspecting(int maxDeaths) {
        String deaths = "coalesce(deaths, 0) + case when marked then 1 else 0 end";
        String isSetAside = "marked and " + deaths + " >= " + maxDeaths + " and not " + RecurringTable.BOTH;
        String freed = maxDeaths == 0
                ? FREED
                : " failure = case when " + isSetAside + " then '" + KILLED + "' else failure end,"
                        + FREED.replace(
                                " when paused", " when " + isSetAside + " then " + RowState.FAILED + " when paused")
                        + ", last_failure = case when " + isSetAside + " then {now} else last_failure end";
        return "update {task} set" + freed + ", suspicions = coalesce(suspicions, 0) + 1, deaths = " + deaths
                + ", marked = null";
    }
}
