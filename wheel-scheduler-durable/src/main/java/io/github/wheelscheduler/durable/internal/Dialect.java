package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.UnsupportedDatabaseException;
import io.github.wheelscheduler.durable.internal.journal.RowColumns;
import io.github.wheelscheduler.durable.internal.row.RowState;
import io.github.wheelscheduler.jdbc.internal.DatabaseKind;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The differences between databases. Statements are templates of {@link Sql#text}. A statement that compares times asks
 * the database for the time: a node that had to wait for a connection or a lock does not say what was true before that.
 */
public enum Dialect {
    POSTGRESQL(DatabaseKind.POSTGRESQL),

    /** For one node. */
    H2(DatabaseKind.H2),

    /** Also for MySQL. Its times have no zone, and are those of UTC. */
    MARIADB(DatabaseKind.MARIADB);

    /** Payloads up to so many bytes come with the claim; longer ones are read when they are due, one by one. */
    private static final int MOST_BYTES_WITH_CLAIM = 8_192;

    private static final long NODES = 1_000_003;

    private static final String SHORT_DATA =
            "case when octet_length(task_data) <= " + MOST_BYTES_WITH_CLAIM + " then task_data end as task_data";

    static final String COLUMNS =
            "task_name, task_instance, version, execution_time, first_time, last_success, last_failure, "
                    + "consecutive_failures, unreadable, suspicions, deaths, earlier_attempts, retries, "
                    + "back_off_millis, max_back_off_millis, format, {origin}"
                    + SHORT_DATA;

    /**
     * Those of rows of recurring tasks that are made at run time. All payloads come with the claim, as a claimed row
     * may be given another.
     */
    static final String MADE_COLUMNS = COLUMNS.replace(SHORT_DATA, "task_data") + ", made_for, declared, schedule";

    private final DatabaseKind kind;

    Dialect(DatabaseKind kind) {
        this.kind = kind;
    }

    DatabaseKind kind() {
        return kind;
    }

    /**
     * Returns that of the product.
     *
     * @throws UnsupportedDatabaseException if it is none that rows can be claimed in
     */
    static Dialect of(String product) {
        DatabaseKind known = DatabaseKind.of(product);
        if (known == null) {
            throw Database.refused(
                    "The database must be PostgreSQL, MariaDB, MySQL or H2 for durable tasks, was " + product,
                    "Keep durable tasks in a PostgreSQL, a MariaDB or a MySQL: give the application a second "
                            + "DataSource for it, with @DurableDataSource.",
                    null);
        }
        return valueOf(known.name());
    }

    /**
     * Returns the expression that is the time. Statements have <code>{now}</code> in its place, which may be another
     * time in a test.
     */
    String now() {
        return kind.now();
    }

    /** Returns the expression that is some time, to the precision that the database keeps, and never later. */
    String literal(Instant instant) {
        return kind.literal(instant);
    }

    /** Returns what a parameter is for a time. */
    public Object time(Instant instant) {
        return kind.time(instant);
    }

    /** Returns what a parameter is for a time before all others. */
    Object ever() {
        return this == POSTGRESQL ? OffsetDateTime.MIN : time(Arguments.EARLIEST);
    }

    /** Reads a time. */
    @Nullable
    public Instant instant(ResultSet row, String column) throws SQLException {
        return kind.instant(row, column);
    }

    /** Reads when a row is due. */
    public Instant dueAt(ResultSet row) throws SQLException {
        return Objects.requireNonNullElse(instant(row, "execution_time"), Instant.EPOCH);
    }

    /** Returns the name of the script that makes the tables, in the package for programs. */
    String script() {
        return kind.script("schema");
    }

    /** Returns the name of the script that adds to tables of the layout before what this one has. */
    String upgradeScript() {
        return kind.script("layout-" + NodeTable.OUR_LAYOUT);
    }

    /**
     * Returns a statement that inserts rows as one with the headers of a span and the version in front of its
     * parameters.
     */
    static String withOrigin(String insert) {
        String columns = "traceparent, tracestate, origin_version, ";
        return insert.replace("{task} (", "{task} (" + columns)
                .replace(" values (", " values (?, ?, ?, ")
                .replace(" select ?, ?, k.i", " select ?, k.s, ?, ?, ?, k.i")
                .replace("unnest(", "unnest(?::varchar[], ")
                .replace(" k(", " k(s, ");
    }

    /**
     * Returns the statement that inserts a row, with name, id, payload, version and time; if it is there, it inserts
     * none or fails.
     */
    String insert() {
        return "insert into {task} (task_name, task_instance, task_data, version, execution_time) values (?, ?, ?, ?, "
                + "?)"
                + (this == POSTGRESQL ? " on conflict do nothing" : "");
    }

    /** Returns the same for a row that is due after a number of milliseconds, in place of the time. */
    String insertIn() {
        return insert().replace("(?, ?, ?, ?, ?)", "(?, ?, ?, ?, " + later() + ")");
    }

    /** Returns the same for a row with retries of its own, which follow the time. */
    String insertWithRetries() {
        return insert().replace("execution_time)", "execution_time, retries, back_off_millis, max_back_off_millis)")
                .replace("(?, ?, ?, ?, ?)", "(?, ?, ?, ?, ?, ?, ?, ?)");
    }

    /** Returns the same for a recurring task that is made at run time, with handler and schedule behind the time. */
    String insertMade() {
        return insert().replace("execution_time)", "execution_time, made_for, declared)")
                .replace("(?, ?, ?, ?, ?)", "(?, ?, ?, ?, ?, ?, ?)");
    }

    /** Returns the same for a row that has ended. */
    String insertEnded() {
        return insert().replace("execution_time)", "execution_time, state)")
                .replace("?, ?)", "?, ?, " + RowState.ENDED + ")");
    }

    /**
     * Returns the statement of PostgreSQL that inserts rows of a name with a version, from arrays: ids, payloads,
     * times; existing ones are left out.
     */
    static String insertAll() {
        return "insert into {task} (task_name, version, task_instance, task_data, execution_time)"
                + " select ?, ?, k.i, k.d, k.t from unnest(?::varchar[], ?::bytea[], ?::timestamptz[]) k(i, d, t)"
                + " on conflict do nothing";
    }

    /** Returns the same with retries, from arrays as well: numbers, first and longest pauses. */
    static String insertAllWithRetries() {
        return insertAll()
                .replace("execution_time)", "execution_time, retries, back_off_millis, max_back_off_millis)")
                .replace("k.t from", "k.t, k.r, k.b, k.m from")
                .replace(
                        "?::timestamptz[]) k(i, d, t)",
                        "?::timestamptz[], ?::int[], ?::bigint[], ?::bigint[]) k(i, d, t, r, b, m)");
    }

    // Looking

    /**
     * Returns the statement that counts what is due since a time and within some milliseconds, and finds the earliest:
     * of each of so many names, up to a limit, and of so many recurring tasks. With name, name, time and milliseconds
     * for each, ids, time and milliseconds.
     *
     * @param fullLooksToo whether it also returns a number that changes when a node asks for a look at all that waits
     */
    String countDue(int names, int limit, int recurring, boolean fullLooksToo) {
        // No alias may be a word that a database keeps for itself.
        String one = "select " + text() + " as handler, count(*) as due, min(execution_time) as earliest from"
                + " (select execution_time from " + due("task_name = ?") + " order by execution_time limit " + limit
                + ") some_rows";
        List<String> parts = new ArrayList<>(Collections.nCopies(names, one));
        if (recurring > 0) {
            parts.add("select concat('" + Handler.RECURRING
                    + "', task_instance) as handler, 1 as due, execution_time as earliest from "
                    + dueRecurringRows(recurring));
        }
        if (fullLooksToo) {
            // One that asks and leaves between two looks changes it, too.
            parts.add("select '' as handler, sum((full_looks + 1) * (incarnation % " + NODES
                    + ")) as due, null as earliest from {node}");
        }
        return String.join(" union all ", parts);
    }

    /**
     * Returns the statement that counts what is due of recurring tasks that are made at run time, of each of so many
     * handlers, and finds the earliest. With handlers, time
     * and milliseconds.
     */
    String countDueMade(int handlers) {
        return "select made_for as handler, count(*) as due, min(execution_time) as earliest from "
                + due("task_name = '" + Handler.MADE + "' and made_for in (" + placeholders(handlers) + ")")
                + " group by made_for";
    }

    /**
     * Returns a statement that claims one-time tasks of a name as one for the recurring tasks that are made for a
     * handler of that name.
     */
    static String ofMade(String statement) {
        return statement
                .replace("task_name = ?", "task_name = '" + Handler.MADE + "' and made_for = ?")
                .replace(COLUMNS, MADE_COLUMNS);
    }

    private String dueRecurringRows(int ids) {
        return due("task_name = '" + Handler.RECURRING + "' and task_instance in (" + placeholders(ids) + ")");
    }

    /** The index is named where the database would read others' rows, and lock them. */
    private String due(String names) {
        return "{task}" + byTime() + " where state = " + RowState.WAITING + " and " + names
                + " and execution_time >= ? and execution_time <= " + later();
    }

    // Claiming

    /**
     * Returns the statements that find and lock rows which are due since a time and within some milliseconds. There is
     * one for each limit of rows of a name, with name, time and milliseconds, and one for a number of ids of recurring
     * tasks, with ids, time and milliseconds.
     */
    List<String> lockDue(List<Integer> limits, int recurring, boolean suspectsToo) {
        String condition = suspectsToo ? "" : " and coalesce(suspicions, 0) < " + TaskRow.SUSPECT;
        String columns = lockedColumns();
        List<String> statements = new ArrayList<>();
        for (int limit : limits) {
            statements.add("select " + columns + " from " + due("task_name = ?") + condition
                    + " order by execution_time limit " + limit + SKIPPING_LOCKED);
        }
        if (recurring > 0) {
            statements.add("select " + columns + " from " + dueRecurringRows(recurring) + condition + SKIPPING_LOCKED);
        }
        return statements;
    }

    /**
     * Returns the statement that finds and locks some rows of a name that no node could read and whose pause is over.
     */
    String lockUnreadable(int limit) {
        return lockKept("execution_time <= " + selected("{now}"), limit);
    }

    /**
     * Returns the same for rows whose pause is over at some time or later, and that have not been tried since another.
     */
    String lockUntried(int limit) {
        return lockKept("execution_time >= ? and last_failure < ?", limit);
    }

    private String lockKept(String condition, int limit) {
        return "select " + lockedColumns() + " from {task}" + byTime() + " where state = " + RowState.UNREADABLE
                + " and task_name = ? and " + condition + " order by execution_time limit " + limit + SKIPPING_LOCKED;
    }

    /** Rows that the same statement claims are read after that. */
    private String lockedColumns() {
        return this == POSTGRESQL ? "task_name, task_instance, suspicions" : COLUMNS;
    }

    /**
     * Returns the statement of PostgreSQL that claims what the given ones lock, for an incarnation, which is its last
     * parameter.
     */
    static String claim(List<String> locking) {
        StringBuilder text = new StringBuilder("with ");
        List<String> found = new ArrayList<>();
        for (int i = 0; i < locking.size(); i++) {
            // What locks may be in no union.
            text.append("due_")
                    .append(i)
                    .append(" as materialized (")
                    .append(locking.get(i))
                    .append("), ");
            found.add("select * from due_" + i);
        }
        // Of what may have killed nodes a node has one at a time.
        String isSuspect = "coalesce(suspicions, 0) >= " + TaskRow.SUSPECT;
        return text + "found as (" + String.join(" union all ", found) + "), due as (select * from found where not "
                + isSuspect + " union all (select * from found where " + isSuspect
                + " limit 1)), claimed as (update {task} t" + CLAIMED
                + " from due where t.task_name = due.task_name and t.task_instance = due.task_instance"
                + " returning t.*) select " + COLUMNS + " from claimed order by execution_time";
    }

    /** Returns the statement that claims a row that is locked, with incarnation, name and id. */
    static String pick() {
        return "update {task}" + CLAIMED + RowKey.ONE;
    }

    private static final String CLAIMED = " set state = " + RowState.CLAIMED + ", owner = ?, version = {next}";

    static final String SKIPPING_LOCKED = DatabaseKind.SKIPPING_LOCKED;

    /**
     * Returns the statement of PostgreSQL that deletes rows which have run, from arrays of names, ids and versions. It
     * returns the deleted ones, and leaves rows that are locked, have another version, or are to run again.
     */
    static String deleteDone() {
        return deleteDone("", "");
    }

    private static String deleteDone(String columns, String arrays) {
        return "with mine as materialized (select n, i, locked.place" + columns
                + " from unnest(?::varchar[], ?::varchar[], ?::bigint[]" + arrays + ") ended(n, i, v" + columns
                + "), lateral (select ctid as place from {task} where task_name = ended.n "
                + "and task_instance = ended.i and version = ended.v and next_time is null" + SKIPPING_LOCKED
                + ") locked)" + (columns.isEmpty() ? " " : ", gone as (")
                + "delete from {task} where ctid = any(array(select place from mine))"
                // Parts of a table have the same places.
                + " and (task_name, task_instance) in (select n, i from mine)"
                + " returning task_name, task_instance, version";
    }

    /**
     * Returns the same with an insert of what is noted of the deleted rows, whose parameters follow. A row whose first
     * value is null is not inserted.
     */
    static String deleteDone(String insert, RowColumns columns) {
        return deleteDone(columns.names(), columns.parameters()) + "), noted as (" + insert + " select "
                + columns.inserted()
                + " from mine join gone on task_name = n and task_instance = i where c0 is not null)"
                + " select task_name, task_instance, version from gone";
    }

    /** Returns a statement of PostgreSQL's for one row, with an insert of what is noted if it has changed the row. */
    static String noted(String statement, String insert, List<String> types) {
        return "with gone as (" + statement + " returning 1), noted as (" + insert + " select "
                + types.stream().map(type -> "?::" + type).collect(Collectors.joining(", "))
                // A trigger of the user's may leave the row out.
                + " from gone) select 1 from gone";
    }

    /**
     * Returns the statement that deletes a row which has run, with name, id and version; where it is locked, it deletes
     * none, or fails at once.
     */
    String deleteDoneOne() {
        String isDone = RowKey.OURS + " and next_time is null";
        return switch (this) {
            case POSTGRESQL -> deleteLocked("(ctid, task_name, task_instance)", isDone);
            case H2 -> deleteLocked("_rowid_", isDone);
            // A comment for all others, as MySQL.
            case MARIADB -> "/*M! set statement innodb_lock_wait_timeout = 0 for */ delete from {task}" + isDone;
        };
    }

    private static String deleteLocked(String place, String isDone) {
        String columns = place.replaceAll("[()]", "");
        return "delete from {task} where " + place + " = (select " + columns + " from {task}" + isDone + SKIPPING_LOCKED
                + ")";
    }

    /** Returns the expression that is the time some milliseconds ago. */
    String earlier() {
        return switch (this) {
            case POSTGRESQL -> selected("{now} - ? * interval '1 millisecond'");
            case H2 -> "dateadd(millisecond, -?, {now})";
            case MARIADB -> "{now} - interval (? * 1000) microsecond";
        };
    }

    /** Returns the expression that is the time in some milliseconds. */
    String later() {
        return switch (this) {
            case POSTGRESQL -> selected("{now} + ? * interval '1 millisecond'");
            case H2 -> "dateadd(millisecond, ?, {now})";
            case MARIADB -> "{now} + interval (? * 1000) microsecond";
        };
    }

    /** PostgreSQL looks into no index for what may change from row to row, and would read all rows that are not due. */
    private String selected(String expression) {
        return this == POSTGRESQL ? "(select " + expression + ")" : expression;
    }

    /** Returns the statement that selects the names of which there are rows that wait. */
    String waitingNames() {
        return names(RowState.WAITING);
    }

    /** Returns the same for rows in a state for which there is an index: not of claimed ones. */
    public String names(int state) {
        String next = "select min(task_name) from {task} where state = " + state;
        return this == POSTGRESQL
                ? "with recursive names(n) as ((" + next + ") union all select (" + next
                        + " and task_name > names.n) from names where names.n is not null)"
                        + " select n from names where n is not null"
                : "select task_name from {task} where state = " + state + " group by state, task_name";
    }

    /** Returns the hint for a database that would not use the index on state, name and due time. */
    public String byTime() {
        return this == MARIADB ? " force index (wheel_durable_task_due)" : "";
    }

    /** Returns the same for rows that nodes have claimed. */
    public String byOwner() {
        return this == MARIADB ? " force index (wheel_durable_task_owner)" : "";
    }

    /** Returns the hint for a database that would otherwise scan a small table, and lock all of it for a moment. */
    public String byKey() {
        return this == MARIADB ? " force index (primary)" : "";
    }

    /** Returns the expression that is no bytes. */
    String noBytes() {
        return this == POSTGRESQL ? "''::bytea" : "X''";
    }

    /** Returns the expression that is a parameter of type text. */
    public String text() {
        return kind.text();
    }

    /** Returns the expression that is a parameter of type time. */
    String time() {
        return kind.time();
    }

    /** Returns the condition that a column is a text, or both are null. */
    String isSame(String column) {
        return column + (this == MARIADB ? " <=> " : " is not distinct from ") + text();
    }

    public static String placeholders(int count) {
        return DatabaseKind.placeholders(count);
    }
}
