package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.history.AuditEntry;
import io.github.wheelscheduler.history.HistoryCause;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

    /** An action that names a handler and no instance is one on many of its tasks. */
    private static final String RETRY = "retry";

    private static final Set<String> ACTIONS = Set.of("trigger", RETRY);

    /** Maximum time by which a run ends before its steering is noted, and by which clocks differ. */
    private static final Duration SLACK = Duration.ofSeconds(1);

    /** Maximum time between a steering and its run. */
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final Map<Key, Who> byTask = new ConcurrentHashMap<>();

    private record Key(String scheduler, String task, String instance) {

        static Key of(String scheduler, String task, @Nullable String instance) {
            return new Key(scheduler, task, instance == null ? "" : instance);
        }

        /** Returns the steering of many tasks that may have been about this one. */
        Key ofMany() {
            return new Key(scheduler, task, "");
        }

        boolean isOfOne() {
            return !instance.isEmpty();
        }
    }

    /**
     * A user.
     *
     * @param named the tasks whose runs have been named; null if the steering was about one
     */
    private record Who(String name, Instant at, @Nullable Set<Key> named) {

        boolean isTooOld(Instant started) {
            return at.isBefore(started.minus(LONGEST));
        }
    }

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
        boolean isOfMany = entry.instance() == null
                && entry.action().equals(RETRY)
                && entry.scheduler().equals(DurableRunNotes.SCHEDULER);
        Who ignored = byTask.put(
                Key.of(entry.scheduler(), task, entry.instance()),
                new Who(who, entry.at(), isOfMany ? ConcurrentHashMap.newKeySet() : null));
        return true;
    }

    /** Returns who has triggered a run that has ended, and forgets that; null if unknown so far. */
    @Nullable
    String take(String scheduler, String task, @Nullable String instance, Instant started) {
        Who who = byTask.isEmpty() ? null : byTask.remove(Key.of(scheduler, task, instance));
        return who == null || who.isTooOld(started) ? null : who.name;
    }

    /** A steering on any node, as its audit has it. */
    private record Steered(Key key, String who, Instant at, String action) {

        /** Whether it was about a task, perhaps among many. */
        boolean isOf(Key one) {
            return key.equals(one) || (one.isOfOne() && key.equals(one.ofMany()) && action.equals(RETRY));
        }
    }

    /** Returns rows that are about to be written, with the users that are known by now. */
    List<NotedRun> named(HistorySql sql, List<NotedRun> rows) {
        if (rows.stream().noneMatch(Triggers::isNameless)) {
            return rows;
        }
        List<NotedRun> named = new ArrayList<>(rows.size());
        for (NotedRun row : rows) {
            String who = isNameless(row) ? ofThisNode(row) : null;
            named.add(who == null ? row : row.by(who));
        }
        return ofAnyNode(sql, named);
    }

    private static boolean isNameless(NotedRun row) {
        return row.cause() == HistoryCause.BY_HAND && row.by() == null;
    }

    private static Instant start(NotedRun row) {
        return Objects.requireNonNullElse(row.started(), row.at());
    }

    private @Nullable String ofThisNode(NotedRun row) {
        Key key = Key.of(row.scheduler(), row.task(), row.instance());
        Who who = byTask.get(key);
        if (who != null
                && !who.at.isAfter(row.at().plus(SLACK))
                && byTask.remove(key, who)
                && !who.isTooOld(start(row))) {
            return who.name;
        }
        return key.isOfOne() ? ofMany(row, key) : null;
    }

    private @Nullable String ofMany(NotedRun row, Key key) {
        Who who = byTask.get(key.ofMany());
        boolean isIt = who != null
                && who.named != null
                && !who.at.isAfter(row.at().plus(SLACK))
                && !who.isTooOld(start(row))
                && who.named.add(key);
        return isIt ? Objects.requireNonNull(who).name : null;
    }

    /** Asks the audit once for all durable runs that have no name yet. */
    private static List<NotedRun> ofAnyNode(HistorySql sql, List<NotedRun> rows) {
        List<Instant> starts = rows.stream()
                .filter(Triggers::mayBeSteeredElsewhere)
                .map(row -> Objects.requireNonNull(row.started()))
                .sorted()
                .toList();
        if (starts.isEmpty()) {
            return rows;
        }
        try {
            List<Steered> all = steered(sql, starts.get(0), starts.get(starts.size() - 1));
            List<NotedRun> named = new ArrayList<>(rows.size());
            for (NotedRun row : rows) {
                String who = mayBeSteeredElsewhere(row) && !all.isEmpty() ? nameOf(sql, row, all) : null;
                named.add(who == null ? row : row.by(who));
            }
            return named;
        } catch (RuntimeException ex) {
            // The rows are worth more than these names; the insert says whether the database is away.
            HistoryStore.LOGGER.debug("Users who triggered durable runs could not be read from the audit", ex);
            return rows;
        }
    }

    private static boolean mayBeSteeredElsewhere(NotedRun row) {
        return isNameless(row) && row.started() != null && row.scheduler().equals(DurableRunNotes.SCHEDULER);
    }

    /** Returns what named users have steered before some runs, the newest first. */
    private static List<Steered> steered(HistorySql sql, Instant first, Instant last) {
        return sql.query(
                "select task, instance, who, noted_at, action from {audit} where noted_at >= ? and noted_at <= ?"
                        + " and scheduler = ? and action in ('trigger', 'retry') and refusal is null"
                        + " and who is not null and task is not null order by noted_at desc limit " + MOST,
                (row, number) -> new Steered(
                        Key.of(DurableRunNotes.SCHEDULER, row.getString("task"), row.getString("instance")),
                        row.getString("who"),
                        sql.time(row, "noted_at"),
                        row.getString("action")),
                sql.time(first.minus(LONGEST)),
                sql.time(last.plus(SLACK)),
                DurableRunNotes.SCHEDULER);
    }

    /** Returns who has steered it last since its run by hand before; null if unknown. */
    private static @Nullable String nameOf(HistorySql sql, NotedRun row, List<Steered> all) {
        String task = Objects.requireNonNull(RunTable.cut(row.task(), RunTable.MOST_NAME));
        String instance = RunTable.cut(row.instance(), RunTable.MOST_NAME);
        Key key = Key.of(row.scheduler(), task, instance);
        Instant started = Objects.requireNonNull(row.started());
        Steered last = all.stream()
                .filter(one -> one.isOf(key) && !one.at.isAfter(started.plus(SLACK)))
                .filter(one -> !one.at.isBefore(started.minus(LONGEST)))
                .findFirst()
                .orElse(null);
        boolean isTaken = last != null
                && sql.finds(
                        "select 1 from {run} where task = ? and noted_at > ? and started < ? and cause = ?"
                                + " and scheduler = ? and coalesce(instance, '') = coalesce(?, '') limit 1",
                        task,
                        sql.time(last.at),
                        sql.time(started),
                        HistoryCause.BY_HAND.code(),
                        row.scheduler(),
                        instance);
        return last == null || isTaken ? null : last.who;
    }
}
