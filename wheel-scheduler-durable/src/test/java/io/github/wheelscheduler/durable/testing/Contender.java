package io.github.wheelscheduler.durable.testing;

import io.github.wheelscheduler.durable.internal.TaskTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What is measured, and what beside. */
public enum Contender {
    /** No payload is empty there; null would be read again before the run. */
    OURS("wheel-scheduler-durable", TaskTable.DEFAULT_NAME, ", task_data", ", ''::bytea"),
    DB_SCHEDULER("db-scheduler", "scheduled_tasks", ", picked, version", ", false, 1");

    /** As db-scheduler's documentation has it. */
    public static final String TABLE_OF_DB_SCHEDULER = """
            create table scheduled_tasks (task_name text not null, task_instance text not null, task_data bytea,
              execution_time timestamp with time zone not null, picked boolean not null, picked_by text,
              last_success timestamp with time zone, last_failure timestamp with time zone, consecutive_failures int,
              last_heartbeat timestamp with time zone, version bigint not null, priority smallint,
              primary key (task_name, task_instance));
            create index execution_time_idx on scheduled_tasks (execution_time);
            create index last_heartbeat_idx on scheduled_tasks (last_heartbeat);
            create index priority_execution_time_idx on scheduled_tasks (priority desc, execution_time asc)
            """;

    public final String title;
    public final String table;
    private final String columns;
    private final String values;

    Contender(String title, String table, String columns, String values) {
        this.title = title;
        this.table = table;
        this.columns = columns;
        this.values = values;
    }

    /** Returns them in the order of a round; the first one is another each time. */
    public static List<Contender> turns(int round) {
        List<Contender> turns = new ArrayList<>(List.of(values()));
        Collections.rotate(turns, round);
        return turns;
    }

    /**
     * Returns the statement that inserts so many tasks, t0 and so on; its parameters are when the first is due, and how
     * many microseconds are between them.
     */
    public String insert(int count) {
        return "insert into " + table + " (task_name, task_instance, execution_time" + columns + ")"
                + " select 'note', 't' || i, ?::timestamptz + i * (? * interval '1 microsecond')" + values
                + " from generate_series(0, " + (count - 1) + ") i";
    }
}
