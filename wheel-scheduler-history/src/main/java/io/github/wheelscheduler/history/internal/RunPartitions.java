package io.github.wheelscheduler.history.internal;

import static io.github.wheelscheduler.history.internal.HistoryStore.LOGGER;

import io.github.wheelscheduler.internal.spring.run.ThrownLog;
import io.github.wheelscheduler.jdbc.internal.DatabaseErrors;
import io.github.wheelscheduler.jdbc.internal.DatabaseKind;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The days of the table of runs in PostgreSQL: a partition for each day of UTC by the database's clock, made some days
 * ahead and dropped as a whole. A default partition takes rows of other days, so a missing day refuses no row. A change
 * waits 50 ms for its locks, and is repeated with a later turn: no writer waits behind a long query. One node at a
 * time, by an advisory lock.
 */
final class RunPartitions {

    /** The number of days that have a partition before they begin. */
    static final int DAYS_AHEAD = 3;

    /** The default partition. */
    static final String REST = "{run}_rest";

    /** The SQL state of a lock that was not free within the limit. */
    private static final String LOCK_TIMEOUT = "55P03";

    private static final String DAY = "{run}_d";
    private static final String DAY_PATTERN = ".*_d\\d{8}";

    private final HistorySql sql;
    private final Duration age;
    private final AtomicBoolean isRefused = new AtomicBoolean();

    private RunPartitions(HistorySql sql, Duration age) {
        this.sql = sql;
        this.age = age;
    }

    /** Whether the table has partitions. */
    static boolean areThere(HistorySql sql) {
        return sql.kind() == DatabaseKind.POSTGRESQL
                && sql.finds("select 1 from pg_class where oid = to_regclass('{run}') and relkind = 'p'");
    }

    static RunPartitions of(HistorySql sql, Duration age) {
        return new RunPartitions(sql, age);
    }

    /** Makes the days ahead, and drops those of which all rows are too old; false if it is to be tried again soon. */
    boolean keep() {
        LocalDate today = dayOf(sql.now());
        LocalDate oldest = dayOf(sql.now().minus(age));
        Set<LocalDate> days = days();
        boolean isDone = true;
        for (LocalDate day : days) {
            isDone &= !day.isBefore(oldest) || change(() -> drop(day));
        }
        for (int i = 0; i <= DAYS_AHEAD; i++) {
            LocalDate day = today.plusDays(i);
            isDone &= days.contains(day) || change(() -> make(day));
        }
        return isDone;
    }

    private static LocalDate dayOf(Instant instant) {
        return LocalDate.ofInstant(instant, ZoneOffset.UTC);
    }

    private Set<LocalDate> days() {
        Set<LocalDate> days = new TreeSet<>();
        sql
                .query(
                        "select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid"
                                + " where i.inhparent = to_regclass('{run}')",
                        (row, number) -> row.getString(1))
                .stream()
                .filter(name -> name.matches(DAY_PATTERN))
                .map(name -> name.substring(name.length() - "yyyyMMdd".length()))
                .forEach(day -> days.add(LocalDate.parse(day, DateTimeFormatter.BASIC_ISO_DATE)));
        return days;
    }

    /** Makes a change if no other node is at it; false if another transaction is in its way. */
    private boolean change(Runnable change) {
        try {
            return sql.inTransaction(() -> {
                boolean isOurTurn = sql.finds("select 1 where pg_try_advisory_xact_lock(hashtext('{run}'))");
                if (isOurTurn) {
                    boolean ignored = sql.finds("select set_config('lock_timeout', '50ms', true)");
                    change.run();
                }
                return isOurTurn;
            });
        } catch (RuntimeException ex) {
            if (DatabaseErrors.isOfConnection(ex)) {
                throw ex;
            }
            boolean isLocked = isLocked(ex);
            if (!isLocked && isRefused.compareAndSet(false, true)) {
                ThrownLog.warnInOneLine(
                        LOGGER,
                        "A day's partition of the history cannot be made or dropped; rows stay where they are, and "
                                + "the next try is in ten minutes",
                        DatabaseErrors.rootOf(ex));
            }
            return !isLocked;
        }
    }

    private static boolean isLocked(RuntimeException ex) {
        return DatabaseErrors.isConflict(ex)
                || (DatabaseErrors.rootOf(ex) instanceof SQLException failure
                        && LOCK_TIMEOUT.equals(failure.getSQLState()));
    }

    /** Beside the table, and empty, so that attaching it reads no row. Another node may have made it. */
    private void make(LocalDate day) {
        String name = DAY + DateTimeFormatter.BASIC_ISO_DATE.format(day);
        String from = bound(day);
        String to = bound(day.plusDays(1));
        String range = "noted_at >= " + from + " and noted_at < " + to;
        if (days().contains(day) || sql.finds("select 1 from " + REST + " where " + range + " limit 1")) {
            return;
        }
        int ignored = sql.update("create table " + name + " (like {run} including defaults, check (" + range + "))");
        ignored = sql.update(
                "alter table {run} attach partition " + name + " for values from (" + from + ") to (" + to + ")");
    }

    private static String bound(LocalDate day) {
        return "'" + day + " 00:00:00+00'";
    }

    private void drop(LocalDate day) {
        String name = DAY + DateTimeFormatter.BASIC_ISO_DATE.format(day);
        if (days().contains(day)) {
            int ignored = sql.update("alter table {run} detach partition " + name);
            ignored = sql.update("drop table " + name);
        }
    }
}
