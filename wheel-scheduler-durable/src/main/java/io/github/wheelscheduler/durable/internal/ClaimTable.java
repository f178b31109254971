package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.RowKey.ONE;
import static io.github.wheelscheduler.durable.internal.RowKey.OURS;
import static io.github.wheelscheduler.durable.internal.RowState.FREED;

import io.github.wheelscheduler.durable.DurableEnd;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rows of tasks, as nodes look for them, claim them, and lose or give back what they have. Called where there is no transaction, unless it says so. */
record ClaimTable(Sql sql, Dialect dialect) {

    private static final String SET_ASIDE = "Its process ended each time it ran";

    // What is due

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
        Instant earliest = dialect.instant(row, "earliest");
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
        if (dialect == Dialect.POSTGRESQL) {
            List<Object> all = new ArrayList<>();
            parameters.forEach(all::addAll);
            all.add(owner);
            return sql.queryPlanned(Dialect.claim(locking), this::read, all.toArray());
        }
        return sql.inTransaction(() -> {
            List<TaskRow> due = new ArrayList<>();
            for (int i = 0; i < locking.size(); i++) {
                due.addAll(
                        sql.query(locking.get(i), this::read, parameters.get(i).toArray()));
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

    private TaskRow read(ResultSet row, int number) throws SQLException {
        return TaskRow.read(row, dialect);
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

    /** Marks a row that a suspect is about to run: if its node dies now, that counts. False if it is not this incarnation's any more. */
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

    /** Returns what an incarnation has and is to end. */
    List<RowKey> askedOf(long incarnation) {
        return sql.keys(" where owner = ? and asked_to_end = true", incarnation);
    }

    /** Returns what an incarnation has. */
    List<RowKey> ownedBy(long incarnation) {
        return sql.keys(" where owner = ?", incarnation);
    }

    /** Lets others claim rows that have not run, as they are; returns how many were still this node's. */
    int giveBack(Collection<RowKey> rows) {
        return sql.updateEach("update {task} set marked = null," + FREED + OURS, rows, RowKey::ours);
    }

    /** The same for one; false if it was not this node's any more. */
    boolean giveBack(RowKey row) {
        return giveBack(List.of(row)) == 1;
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
     * Lets others claim some rows of an incarnation that is dead, but for locked ones. In a transaction of the caller's.
     *
     * @param isSuspicious whether it may have died of one of them
     * @param maxDeaths after how many deaths a one-time task is set aside; 0 for never
     * @param isListened whether listeners are to be told of them
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
    private DurableEnd freed(RowKey row) {
        return sql.query(
                        "select state, consecutive_failures, failure from {task}" + ONE,
                        (result, number) -> new DurableEnd(
                                switch (result.getInt("state")) {
                                    case RowState.FAILED -> DurableEnd.Kind.GIVEN_UP;
                                    case RowState.ENDED -> DurableEnd.Kind.CANCELLED;
                                    default -> DurableEnd.Kind.TAKEN_OVER;
                                },
                                row.handler(),
                                row.id(),
                                result.getInt("consecutive_failures"),
                                null,
                                result.getInt("state") == RowState.FAILED ? result.getString("failure") : null,
                                null),
                        row.one())
                .get(0);
    }

    /**
     * Rows that were freed.
     *
     * @param ends what listeners are told of them when that is committed
     */
    record Freed(int count, List<DurableEnd> ends) {

        static final Freed NOTHING = new Freed(0, List.of());
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
}
