package io.github.wheelscheduler.durable;

import java.util.Locale;

/** What differs between databases. */
enum Dialect {
    POSTGRESQL("clock_timestamp()"),
    H2("current_timestamp(9)");

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
            default ->
                throw new IllegalStateException(
                        "The database must be PostgreSQL or H2 for durable tasks, was " + product);
        };
    }

    /** Returns the statement that asks for the time. */
    String selectNow() {
        return "select " + now;
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

    /**
     * Returns the statement that claims what is due until a time, for a node, the earliest first. Its parameters are the node, the
     * heartbeat, the time, the names, and names and ids of what is passed over.
     */
    String claim(String table, int names, int passedOver, int limit) {
        String due = "select task_name, task_instance from " + table
                + " where picked = false and execution_time <= ? and task_name in ("
                + placeholders("?", names) + ")"
                + (passedOver == 0
                        ? ""
                        : " and (task_name, task_instance) not in (" + placeholders("(?, ?)", passedOver) + ")")
                + " order by execution_time";
        String set = " set picked = true, picked_by = ?, last_heartbeat = ?, version = version + 1 ";
        return switch (this) {
            case POSTGRESQL ->
                "with due as materialized (" + due + " limit " + limit + " for update skip locked), claimed as (update "
                        + table + " t"
                        + set
                        + "from due where t.task_name = due.task_name and t.task_instance = due.task_instance returning t.*)"
                        + " select * from claimed order by execution_time";
            case H2 ->
                "select * from final table (update " + table + set + "where (task_name, task_instance) in (" + due
                        + " fetch first " + limit + " rows only)) order by execution_time";
        };
    }

    /** Whether the parameters of the inner select come before those of the update. */
    boolean asksBeforeItSets() {
        return this == POSTGRESQL;
    }

    private static String placeholders(String one, int count) {
        return (one + ", ").repeat(count - 1) + one;
    }
}
