package io.github.wheelscheduler.history.internal;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Adds up closed hours, and their days, from rows and from runs that have none: each hour in one transaction, which
 * holds a lock against rows that come late. Readers find each run in one place at any time: in the hours before that
 * number, in the rows from there on, or among the counts.
 */
final class HistoryFolding {

    /** So long after an hour, its rows have been written, or are late. */
    static final Duration REST = Duration.ofMinutes(5);

    private static final int MOST_HOURS = 48;
    private static final long SECONDS_PER_HOUR = 3_600;
    private static final long HOURS_PER_DAY = 24;

    private static final String TOTALS = "task, node, outcome, runs, micros, longest, earliest, latest";

    private static final String SUMS = "sum(runs), sum(micros), max(longest), min(earliest), max(latest)";

    private HistoryFolding() {}

    static Instant start(long hour) {
        return Instant.ofEpochSecond(Math.multiplyExact(hour, SECONDS_PER_HOUR));
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    private static long hourOf(Instant instant) {
        return Math.floorDiv(instant.getEpochSecond(), SECONDS_PER_HOUR);
    }

    /** Returns the end of the last hour that has been added up; null if that is unknown. */
    static @Nullable Instant end(HistorySql sql) {
        return sql.first(
                "select number from {state} where name = 'folded'",
                (row, number) -> Instant.ofEpochSecond(row.getLong(1)));
    }

    /** Adds up some hours that are closed by the database's clock; returns how many. */
    static int fold(HistorySql sql) {
        long closed = hourOf(sql.now().minus(REST));
        Instant end = end(sql);
        boolean isClosed = end != null && hourOf(end) < closed;
        int done = 0;
        while (isClosed && done < MOST_HOURS) {
            isClosed = sql.inTransaction(() -> foldNext(sql, closed));
            done += isClosed ? 1 : 0;
        }
        return done;
    }

    /** Adds up the next hour; false if all are. The lock comes first, as rows may be coming into any of these hours. */
    private static boolean foldNext(HistorySql sql, long closed) {
        long folded = RunTable.folded(sql);
        if (folded >= closed) {
            return false;
        }
        foldHour(sql, nextWithRows(sql, folded, closed));
        return true;
    }

    /**
     * Returns the hour of the first row, so that hours without a row, as of nodes that were down, need no turn each.
     */
    private static long nextWithRows(HistorySql sql, long folded, long closed) {
        Optional<Instant> first = sql.first(
                "select min(noted_at) as noted_at from {run} where noted_at >= ?",
                (row, number) -> Optional.ofNullable(sql.kind().instant(row, "noted_at")),
                sql.time(start(folded)));
        return first == null || first.isEmpty()
                ? closed - 1
                : Math.min(closed - 1, Math.max(folded, hourOf(first.get())));
    }

    /** Adds up an hour, and the counts of all hours up to it. */
    private static void foldHour(HistorySql sql, long hour) {
        Object start = sql.time(start(hour));
        Object end = sql.time(start(hour + 1));
        int ignored = sql.update(
                "insert into {count} (starts_at, " + TOTALS + ") select " + time(sql)
                        + ", task, node, outcome, sum(runs), sum(coalesce(micros, 0)), max(coalesce(micros, 0)),"
                        + " min(noted_at), max(noted_at) from {run} where noted_at >= ? and noted_at < ?"
                        + " group by task, node, outcome",
                start,
                start,
                end);
        List<Instant> hours = sql.query(
                "select distinct starts_at from {count} where starts_at < ?",
                (row, number) -> sql.time(row, "starts_at"),
                end);
        ignored = sql.update(
                "insert into {hour} (starts_at, " + TOTALS + ") select starts_at, task, node, outcome, " + SUMS
                        + " from {count} where starts_at < ? group by starts_at, task, node, outcome",
                end);
        hours.stream()
                .map(each -> Math.floorDiv(hourOf(each), HOURS_PER_DAY))
                .distinct()
                .forEach(day -> addToDay(sql, day, end));
        ignored = sql.update("delete from {count} where starts_at < ?", end);
        ignored = sql.update(
                "insert into {kind} (starts_at, task, kind, failure, rows_written, earliest, latest) select "
                        + time(sql) + ", task, kind, min(failure), count(*), min(noted_at), max(noted_at) from {run}"
                        + " where noted_at >= ? and noted_at < ? and kind is not null group by task, kind",
                start,
                start,
                end);
        ignored = sql.update("update {state} set number = ? where name = 'folded'", (hour + 1) * SECONDS_PER_HOUR);
    }

    private static String time(HistorySql sql) {
        return sql.kind().time();
    }

    /**
     * Adds the counts of a day of UTC that are before an end to the totals of that day, whose hours may be gone: these
     * totals stand among the counts meanwhile.
     */
    private static void addToDay(HistorySql sql, long day, Object end) {
        Object start = sql.time(start(day * HOURS_PER_DAY));
        Object next = sql.time(start((day + 1) * HOURS_PER_DAY));
        int ignored = sql.update(
                "insert into {count} (starts_at, " + TOTALS + ") select starts_at, task, '', outcome, runs, micros,"
                        + " longest, earliest, latest from {day} where starts_at = ?",
                start);
        ignored = sql.update("delete from {day} where starts_at = ?", start);
        ignored = sql.update(
                "insert into {day} (starts_at, task, outcome, runs, micros, longest, earliest, latest) select "
                        + time(sql) + ", task, outcome, " + SUMS
                        + " from {count} where starts_at >= ? and starts_at < ? and starts_at < ?"
                        + " group by task, outcome",
                start,
                start,
                next,
                end);
    }
}
