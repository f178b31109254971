package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.history.HistorySettings;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Deletes old rows in blocks: one with each turn, so that the database rests between them. One thread at a time. */
final class HistoryRetention {

    /** The maximum number of rows that a statement deletes. */
    static final int BLOCK = 5_000;

    /** The number of turns in which a day that others lock is tried. */
    private static final int MOST_TRIES = 60;

    private static final String RUNS = "{run}";

    private final List<Kept> tables;

    /** The turns in which days were tried; the most of them once that is done. */
    private int tries;

    /** Which of the tables is next; the number of tables if all are done. */
    private int next;

    /** A table, the column of its time, and the age up to which its rows are kept. */
    private record Kept(String table, String column, Duration age) {}

    HistoryRetention(HistorySettings settings) {
        this.tables = List.of(
                new Kept(RUNS, "noted_at", settings.keepRows()),
                new Kept("{text}", "on_day", settings.keepFailures()),
                new Kept("{kind}", "starts_at", settings.keepFailures()),
                new Kept("{hour}", "starts_at", settings.keepHours()),
                new Kept("{day}", "starts_at", settings.keepDays()),
                new Kept("{audit}", "noted_at", settings.keepAudit()));
        this.next = tables.size();
    }

    /** Begins again. */
    void start() {
        next = 0;
        tries = 0;
    }

    boolean isDone() {
        return next == tables.size();
    }

    /** Returns the time before which runs go: they are too old, and have been added up. */
    static Instant endOfRuns(HistorySql sql, Duration age) {
        Instant end = sql.now().minus(age);
        Instant folded = HistoryFolding.end(sql);
        return folded == null || end.isBefore(folded) ? end : folded;
    }

    /** Deletes a block, or drops days. */
    void step(HistorySql sql, @Nullable RunPartitions partitions) {
        if (isDone()) {
            return;
        }
        Kept kept = tables.get(next);
        boolean isOfRuns = kept.table.equals(RUNS);
        if (partitions != null && kept.table.equals(RUNS)) {
            if (tries < MOST_TRIES) {
                tries = partitions.keep() ? MOST_TRIES : tries + 1;
            }
            if (tries < MOST_TRIES) {
                return;
            }
            if (!partitions.isRefused()) {
                kept = new Kept(RunPartitions.REST, kept.column, kept.age);
            }
        }
        Instant before = isOfRuns ? endOfRuns(sql, kept.age) : sql.now().minus(kept.age);
        Object limit = kept.column.equals("on_day") ? LocalDate.ofInstant(before, ZoneOffset.UTC) : sql.time(before);
        boolean hasPartitions = partitions != null && kept.table.equals(RUNS);
        if (delete(sql, kept, hasPartitions, limit) < BLOCK) {
            next++;
        }
    }

    private static int delete(HistorySql sql, Kept kept, boolean hasPartitions, Object limit) {
        String where = " where " + kept.column + " < ?";
        String delete = "delete from " + kept.table + where;
        return switch (sql.kind()) {
            case POSTGRESQL -> {
                // An address is that of a row in one partition. The condition holds for rows at it in another one, too.
                String some = hasPartitions
                        ? " and (tableoid, ctid) in (select tableoid, ctid"
                        : " and ctid = any(array(select ctid";
                yield sql.update(
                        delete + some + " from " + kept.table + where + " limit " + BLOCK
                                + (hasPartitions ? ")" : "))"),
                        limit,
                        limit);
            }
            case MARIADB -> sql.update(delete + " order by " + kept.column + " limit " + BLOCK, limit);
            case H2 -> sql.update(delete + " fetch first " + BLOCK + " rows only", limit);
        };
    }
}
