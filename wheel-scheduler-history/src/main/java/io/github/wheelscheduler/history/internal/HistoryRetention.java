package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.history.HistorySettings;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;

/** Deletes old rows in blocks: one with each turn, so that the database rests between them. One thread at a time. */
final class HistoryRetention {

    /** How many rows a statement deletes. */
    static final int BLOCK = 5_000;

    private final List<Kept> tables;

    /** Which of the tables is next; the number of tables if all are done. */
    private int next;

    /** What a table keeps, by the column of its time. */
    private record Kept(String table, String column, Duration age) {}

    HistoryRetention(HistorySettings settings) {
        this.tables = List.of(
                new Kept("{run}", "noted_at", settings.keepRows()),
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
    }

    boolean isDone() {
        return next == tables.size();
    }

    /** Deletes a block. */
    void step(HistorySql sql) {
        if (isDone()) {
            return;
        }
        Kept kept = tables.get(next);
        Instant before = sql.now().minus(kept.age);
        Object limit = kept.column.equals("on_day") ? LocalDate.ofInstant(before, ZoneOffset.UTC) : sql.time(before);
        if (sql.update(delete(sql, kept), limit) < BLOCK) {
            next++;
        }
    }

    private static String delete(HistorySql sql, Kept kept) {
        String where = " where " + kept.column + " < ?";
        return switch (sql.kind()) {
            case POSTGRESQL ->
                "delete from " + kept.table + " where ctid = any(array(select ctid from " + kept.table + where
                        + " limit " + BLOCK + "))";
            case MARIADB -> "delete from " + kept.table + where + " order by " + kept.column + " limit " + BLOCK;
            case H2 -> "delete from " + kept.table + where + " fetch first " + BLOCK + " rows only";
        };
    }
}
