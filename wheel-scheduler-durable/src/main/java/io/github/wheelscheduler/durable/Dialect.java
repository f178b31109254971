package io.github.wheelscheduler.durable;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The statements that differ between databases. Whatever compares times for this and other nodes asks the database for the time: a node that had to wait for a
 * connection or a lock does not say what was true before that.
 */
enum Dialect {
    POSTGRESQL("clock_timestamp()"),
    H2("current_timestamp(9)"),

    /** Also for MySQL. Its times have no zone, and are those of UTC. */
    MARIADB("utc_timestamp(6)");

    /** Payloads up to so many bytes come with the claim; longer ones are read when they are due, one by one. */
    private static final int MOST_BYTES_WITH_CLAIM = 8_192;

    private static final String COLUMNS =
            "task_name, task_instance, execution_time, picked, picked_by, last_success, last_failure,"
                    + " consecutive_failures, last_heartbeat, version, priority, case when octet_length(task_data) <= "
                    + MOST_BYTES_WITH_CLAIM + " then task_data end as task_data";

    /** Also of a table of another name. */
    private static final String DUE_INDEX = TaskTable.DEFAULT_NAME + "_due";

    private final String now;

    Dialect(String now) {
        this.now = now;
    }

    /**
     * Returns that of the product.
     *
     * @throws IllegalStateException if it is none that rows can be claimed in
     */
    static Dialect of(String product) {
        return switch (product) {
            case "PostgreSQL" -> POSTGRESQL;
            case "H2" -> H2;
            case "MariaDB", "MySQL" -> MARIADB;
            default ->
                throw new IllegalStateException(
                        "The database must be PostgreSQL, MariaDB, MySQL or H2 for durable tasks, was " + product);
        };
    }

    /** Returns the expression that is the time. */
    String now() {
        return now;
    }

    /** Returns the statement that asks for the time. */
    String selectNow() {
        return "select " + now + " as now_there";
    }

    /** Returns what a parameter is for a time. */
    Object time(Instant instant) {
        return this == MARIADB ? LocalDateTime.ofInstant(instant, ZoneOffset.UTC) : instant.atOffset(ZoneOffset.UTC);
    }

    /** Reads a time. */
    @Nullable
    Instant instant(ResultSet row, String column) throws SQLException {
        if (this == MARIADB) {
            LocalDateTime time = row.getObject(column, LocalDateTime.class);
            return time == null ? null : time.toInstant(ZoneOffset.UTC);
        }
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    /** Returns the name of the script in this package that makes the table. */
    String script() {
        return "schema-" + name().toLowerCase(Locale.ROOT) + ".sql";
    }

    /** Returns the statement that inserts a row, with four parameters; if it is there, it inserts none or fails. */
    String insert(String table) {
        return "insert into " + table
                + " (task_name, task_instance, task_data, execution_time, picked, version) values (?, ?, ?, ?, false, 1)"
                + (this == POSTGRESQL ? " on conflict do nothing" : "");
    }

    /** Returns the statement of PostgreSQL that inserts rows of a name from arrays: ids, payloads, times; those that are there are left out. */
    static String insertAll(String table) {
        return "insert into " + table + " (task_name, task_instance, task_data, execution_time, picked, version)"
                + " select ?, k.i, k.d, k.t, false, 1 from unnest(?::varchar[], ?::bytea[], ?::timestamptz[]) k(i, d, t)"
                + " on conflict do nothing";
    }

    /**
     * Returns the statement of PostgreSQL that claims what is due within some milliseconds, for a node, the earliest first. Its parameters are the
     * milliseconds, the names, names and ids of what is passed over, and the node.
     */
    static String claim(String table, int names, int passedOver, int limit) {
        return "with due as materialized (select task_name, task_instance from "
                + POSTGRESQL.due(table, names, passedOver) + " limit " + limit
                + " for update skip locked), claimed as (update " + table
                + " t set picked = true, picked_by = ?, last_heartbeat = " + POSTGRESQL.now
                + ", version = version + 1 from due where t.task_name = due.task_name and t.task_instance = due.task_instance returning t.*)"
                + " select " + COLUMNS + " from claimed order by execution_time";
    }

    private String due(String table, int names, int passedOver) {
        // PostgreSQL would take the primary key for the names, and read all rows of theirs, while it knows little of
        // the table.
        String name = this == POSTGRESQL ? "(task_name || '')" : "task_name";
        // MariaDB would take the primary key, too, or read all rows that are not picked, where much of what is due is
        // of other names, and lock what it reads.
        return table + (this == MARIADB ? " force index (" + DUE_INDEX + ")" : "")
                + " where picked = false and execution_time <= " + later()
                + " and (paused = false or regular_time is not null) and " + name + " in (" + placeholders("?", names)
                + ")"
                + (passedOver == 0
                        ? ""
                        : " and (task_name, task_instance) not in (" + placeholders("(?, ?)", passedOver) + ")")
                + " order by execution_time";
    }

    /** Whether rows are claimed by {@link #lockDue} and {@link #pick}, in one transaction; H2 would look for what is due once for each row of the table. */
    boolean claimsInTwoSteps() {
        return this != POSTGRESQL;
    }

    /**
     * Returns the statement that locks what is due within some milliseconds; with the parameters of {@link #claim} but for the node. What it reads as
     * the heartbeat is the time.
     */
    String lockDue(String table, int names, int passedOver, int limit) {
        return "select " + COLUMNS.replace("last_heartbeat", now + " as last_heartbeat") + " from "
                + due(table, names, passedOver) + " limit " + limit + " for update skip locked";
    }

    /** Returns the statement that claims a row that is locked, with node, name and id. */
    String pick(String table) {
        return "update " + table + " set picked = true, picked_by = ?, last_heartbeat = " + now
                + ", version = version + 1 where task_name = ? and task_instance = ?";
    }

    /** Returns the condition that a row has shown no life for some milliseconds. */
    String isDead() {
        return "picked = true and last_heartbeat <= " + earlier();
    }

    /** Returns the expression that is the time some milliseconds ago; see below. */
    String earlier() {
        return switch (this) {
            case POSTGRESQL -> "(select " + now + " - ? * interval '1 millisecond')";
            case H2 -> "dateadd(millisecond, -?, " + now + ")";
            case MARIADB -> now + " - interval (? * 1000) microsecond";
        };
    }

    /** Selected: PostgreSQL looks into no index for what may change from row to row, and would read all rows that are not due. */
    private String later() {
        return switch (this) {
            case POSTGRESQL -> "(select " + now + " + ? * interval '1 millisecond')";
            case H2 -> "dateadd(millisecond, ?, " + now + ")";
            case MARIADB -> now + " + interval (? * 1000) microsecond";
        };
    }

    /** Returns what makes a select leave out rows that somebody has locked; H2 is for one node, which frees nothing. */
    String skippingLocked() {
        return this == H2 ? "" : " for update skip locked";
    }

    /** Returns the expression that is a parameter of type text. */
    String text() {
        return this == MARIADB ? "?" : "cast(? as varchar)";
    }

    /** Returns the expression that is a parameter of type time. */
    String time() {
        return this == MARIADB ? "?" : "cast(? as timestamp with time zone)";
    }

    /** Returns the condition that a column is a text, or both are null. */
    String isSame(String column) {
        return column + (this == MARIADB ? " <=> " : " is not distinct from ") + text();
    }

    /** Returns the statement that frees a row with name, id and version that has shown no life for some milliseconds; of MariaDB see {@link #lockDead}. */
    String freeDead(String table) {
        String dead = "task_name = ? and task_instance = ? and version = ? and " + isDead();
        // H2 would read all rows for the list of what is selected.
        return free(table)
                + (this == H2
                        ? dead
                        : "(task_name, task_instance) in (select task_name, task_instance from " + table + " where "
                                + dead + skippingLocked() + ")");
    }

    /** Returns the statement of MariaDB that frees rows with so many names and ids. */
    static String freeSome(String table, int rows) {
        return free(table) + isOneOf(rows);
    }

    private static String free(String table) {
        return "update " + table
                + " set picked = false, picked_by = null, last_heartbeat = null, version = version + 1 where ";
    }

    /** Returns the statement that says that a row is alive, with name, id and version. */
    String beat(String table) {
        return "update " + table + " set last_heartbeat = " + now
                + " where task_name = ? and task_instance = ? and version = ? and picked = true";
    }

    /** Returns the statement of PostgreSQL that says so of rows in arrays of names, ids and versions, but for those that somebody has locked. */
    static String beatAll(String table) {
        return "update " + table
                + " t set last_heartbeat = clock_timestamp() from (select s.task_name, s.task_instance from " + table
                + " s join unnest(?::varchar[], ?::varchar[], ?::bigint[]) k(n, i, v)"
                + " on s.task_name = k.n and s.task_instance = k.i and s.version = k.v where s.picked = true for update of s skip locked) m"
                + " where t.task_name = m.task_name and t.task_instance = m.task_instance";
    }

    /** Returns the statement of PostgreSQL that reads which rows in such arrays are still there, locked or not: their numbers from 1. */
    static String stillThere(String table) {
        return "select k.o from unnest(?::varchar[], ?::varchar[], ?::bigint[]) with ordinality k(n, i, v, o) join "
                + table + " s on s.task_name = k.n and s.task_instance = k.i and s.version = k.v where s.picked = true";
    }

    /**
     * Returns the statement of MariaDB that says so of rows with so many names and ids. By their key: in another index it would read rows of others, and
     * wait for those that somebody has locked.
     */
    static String beatSome(String table, int rows) {
        return "update " + table + " force index (primary) set last_heartbeat = " + MARIADB.now
                + " where picked = true and " + isOneOf(rows);
    }

    /** Returns the statement of MariaDB that locks rows with so many names and ids that have shown no life for some milliseconds, but for those that somebody else has locked. */
    static String lockDead(String table, int rows) {
        return "select task_name, task_instance, version from " + table + " force index (primary) where "
                + isOneOf(rows) + " and " + MARIADB.isDead() + MARIADB.skippingLocked();
    }

    /** Returns the statement of MariaDB that reads which rows with so many names and ids are claimed; by their key, too, as it may lock. */
    static String claimed(String table, int rows) {
        return "select task_name, task_instance, version from " + table
                + " force index (primary) where picked = true and " + isOneOf(rows);
    }

    /** MariaDB looks for one pair of a list in no index where it updates, and would read, and lock, all rows. */
    private static String isOneOf(int rows) {
        return rows == 1
                ? "task_name = ? and task_instance = ?"
                : "(task_name, task_instance) in (" + placeholders("(?, ?)", rows) + ")";
    }

    private static String placeholders(String one, int count) {
        return (one + ", ").repeat(count - 1) + one;
    }
}
