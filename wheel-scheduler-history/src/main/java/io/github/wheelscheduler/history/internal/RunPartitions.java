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
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

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

    /**
     * SQL states: a lock that was not free within the limit, a row of the day in another partition, a table that
     * exists.
     */
    private static final Set<String> FOR_LATER = Set.of("55P03", "23514", "42P07");

    private static final String DAY = "{run}_d";
    private static final int DAY_LENGTH = 8;

    private final HistorySql sql;
    private final Duration age;

    /** Whether a change of the last round was refused: old days are not dropped, and their rows are to be deleted. */
    private boolean isRefused;

    /** The same of this round. */
    private boolean isRefusedNow;

    RunPartitions(HistorySql sql, Duration age) {
        this.sql = sql;
        this.age = age;
    }

    /** Whether the table has partitions. */
    static boolean areThere(HistorySql sql) {
        return sql.kind() == DatabaseKind.POSTGRESQL
                && sql.finds("select 1 from pg_class where oid = to_regclass('{run}') and relkind = 'p'"
                        + " and to_regclass('{run}_rest') is not null");
    }

    /**
     * Makes the days ahead, and drops those of which all rows are too old and added up; false if it is to be tried
     * again soon.
     */
    boolean keep() {
        LocalDate today = dayOf(sql.now());
        LocalDate oldest = dayOf(HistoryRetention.endOfRuns(sql, age));
        Set<LocalDate> days = days();
        boolean isDone = true;
        isRefusedNow = false;
        for (LocalDate day : days) {
            isDone &= !day.isBefore(oldest) || change(() -> drop(day));
        }
        for (int i = 0; i <= DAYS_AHEAD; i++) {
            LocalDate day = today.plusDays(i);
            isDone &= days.contains(day) || change(() -> make(day));
        }
        isRefused = isRefusedNow;
        return isDone;
    }

    private static LocalDate dayOf(Instant instant) {
        return LocalDate.ofInstant(instant, ZoneOffset.UTC);
    }

    private Set<LocalDate> days() {
        List<String> names = sql.query(
                "select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid"
                        + " where i.inhparent = to_regclass('{run}')",
                (row, number) -> row.getString(1));
        Set<LocalDate> days = new TreeSet<>();
        for (String name : names) {
            LocalDate day = dayOf(name);
            if (day != null) {
                boolean ignored = days.add(day);
            }
        }
        return days;
    }

    /** Returns the day of a partition of ours; null for one that users have attached. */
    private @Nullable LocalDate dayOf(String name) {
        String table = sql.text(DAY).toLowerCase(Locale.ROOT);
        String ours = table.substring(table.indexOf('.') + 1);
        try {
            return name.startsWith(ours) && name.length() == ours.length() + DAY_LENGTH
                    ? LocalDate.parse(name.substring(ours.length()), DateTimeFormatter.BASIC_ISO_DATE)
                    : null;
        } catch (DateTimeParseException ex) {
            return null;
        }
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
            boolean isForLater = isForLater(ex);
            if (!isForLater && DatabaseErrors.isOfConnection(ex)) {
                throw ex;
            }
            boolean isFirst = !isRefused && !isRefusedNow;
            isRefusedNow |= !isForLater;
            if (!isForLater && isFirst) {
                ThrownLog.warnInOneLine(
                        LOGGER,
                        "A day's partition of the history cannot be made or dropped; rows stay where they are, and "
                                + "the next try is in ten minutes",
                        DatabaseErrors.rootOf(ex));
            }
            return !isForLater;
        }
    }

    /**
     * Whether the change was refused for now: others lock the table, or have written a row or made the day meanwhile.
     */
    private static boolean isForLater(RuntimeException ex) {
        return DatabaseErrors.isConflict(ex)
                || DatabaseErrors.isOfStatement(ex)
                || (DatabaseErrors.rootOf(ex) instanceof SQLException failure
                        && FOR_LATER.contains(String.valueOf(failure.getSQLState())));
    }

    /** Whether the database does not let this user change days. */
    boolean isRefused() {
        return isRefused;
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
        int ignored = sql.update("create table " + name
                + " (like {run} including defaults including constraints including generated, check (" + range + "))");
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
