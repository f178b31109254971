package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.history.AuditEntry;
import io.github.wheelscheduler.history.HistoryCause;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The users who have triggered tasks on this node, until the next run by hand of each. A run may end before its
 * steering is told, and a durable one runs on any node: its row is looked at again when it is written. Any thread.
 */
public final class Triggers {

    /** Maximum number of tasks that have been triggered and have not run since. */
    private static final int MOST = 1_000;

    private static final Set<String> ACTIONS = Set.of("trigger", "retry");

    /** By how much a run may end before its steering is told, and by how much clocks may differ. */
    private static final Duration SLACK = Duration.ofSeconds(1);

    /** For how long a run of another node's steering may have waited. */
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final Map<Key, Who> byTask = new ConcurrentHashMap<>();

    private record Key(String scheduler, String task, String instance) {

        static Key of(String scheduler, String task, @Nullable String instance) {
            return new Key(scheduler, task, instance == null ? "" : instance);
        }
    }

    private record Who(String name, Instant at) {}

    /** Takes a note of a steering; returns whether it names the user of a run to come. */
    boolean note(AuditEntry entry) {
        String task = entry.task();
        String who = entry.who();
        if (task == null || who == null || entry.refusal() != null || !ACTIONS.contains(entry.action())) {
            return false;
        }
        if (byTask.size() >= MOST) {
            byTask.clear();
        }
        Who ignored = byTask.put(Key.of(entry.scheduler(), task, entry.instance()), new Who(who, entry.at()));
        return true;
    }

    /** Returns who has triggered a run that has ended, and forgets that; null if unknown so far. */
    @Nullable
    String take(String scheduler, String task, @Nullable String instance) {
        Who who = byTask.isEmpty() ? null : byTask.remove(Key.of(scheduler, task, instance));
        return who == null ? null : who.name;
    }

    /** Returns rows that are about to be written, with the users that are known by now. */
    List<NotedRun> named(HistorySql sql, List<NotedRun> rows) {
        if (rows.stream().noneMatch(Triggers::isNameless)) {
            return rows;
        }
        List<NotedRun> named = new ArrayList<>(rows.size());
        for (NotedRun row : rows) {
            String who = isNameless(row) ? nameOf(sql, row) : null;
            named.add(who == null ? row : row.by(who));
        }
        return named;
    }

    private static boolean isNameless(NotedRun row) {
        return row.cause() == HistoryCause.BY_HAND && row.by() == null;
    }

    private @Nullable String nameOf(HistorySql sql, NotedRun row) {
        Key key = Key.of(row.scheduler(), row.task(), row.instance());
        Who who = byTask.get(key);
        if (who != null && !who.at.isAfter(row.at().plus(SLACK)) && byTask.remove(key, who)) {
            return who.name;
        }
        Instant started = row.started();
        if (started == null || !row.scheduler().equals(DurableRunNotes.SCHEDULER)) {
            return null;
        }
        try {
            return ofAnyNode(sql, row, started);
        } catch (RuntimeException ex) {
            // The row is worth more than this name; the insert says whether the database is away.
            HistoryStore.LOGGER.debug("The user who triggered a durable run could not be read from the audit", ex);
            return null;
        }
    }

    /** Returns who has steered it last since its run by hand before; null if unknown. */
    private static @Nullable String ofAnyNode(HistorySql sql, NotedRun row, Instant started) {
        String task = RunTable.cut(row.task(), RunTable.MOST_NAME);
        String instance = RunTable.cut(row.instance(), RunTable.MOST_NAME);
        Object from = sql.time(started.minus(LONGEST));
        Object to = sql.time(started.plus(SLACK));
        Instant before = sql.first(
                "select max(noted_at) as noted_at from {run} where task = ? and noted_at >= ? and started < ? "
                        + "and cause = ?"
                        + " and scheduler = ? and coalesce(instance, '') = coalesce(?, '')",
                (found, number) -> found.getObject(1) == null ? Instant.EPOCH : sql.time(found, "noted_at"),
                task,
                from,
                sql.time(started),
                HistoryCause.BY_HAND.code(),
                row.scheduler(),
                instance);
        Object since = before == null || before.equals(Instant.EPOCH) ? from : sql.time(before);
        List<String> names = sql.query(
                "select who from {audit} where noted_at >= ? and noted_at <= ? and task = ? and scheduler = ?"
                        + " and coalesce(instance, '') = coalesce(?, '') and action in ('trigger', 'retry')"
                        + " and refusal is null and who is not null order by noted_at desc limit 1",
                (found, number) -> found.getString(1),
                since,
                to,
                task,
                row.scheduler(),
                instance);
        return names.isEmpty() ? null : names.get(0);
    }
}
