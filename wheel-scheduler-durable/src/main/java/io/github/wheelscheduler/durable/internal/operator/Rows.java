package io.github.wheelscheduler.durable.internal.operator;

import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.internal.Dialect;
import io.github.wheelscheduler.durable.internal.Handler;
import io.github.wheelscheduler.durable.internal.Sql;
import io.github.wheelscheduler.durable.internal.row.RowState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows for a search. A statement is planned for its parameters: one of PostgreSQL's plans for any would read all
 * rows.
 */
record Rows(Sql sql, Dialect dialect) {

    private static final String COLUMNS = "select t.task_name, t.task_instance, t.execution_time, t.state, t.owner,"
            + " t.consecutive_failures, t.last_failure, t.made_for, substring(t.failure, 1, " + RowSearch.ERROR_LENGTH
            + ") as failure, n.name as owner_name from ";

    private static final String OWNER = " left join {node} n on n.incarnation = t.owner";

    /** A statement and its parameters. */
    static final class Query {

        private final StringBuilder text = new StringBuilder();
        private final List<@Nullable Object> parameters = new ArrayList<>();

        static Query of(String text, @Nullable Object... parameters) {
            return new Query().and(text, parameters);
        }

        /** Appends a part. */
        Query and(String part, @Nullable Object... more) {
            text.append(part);
            Collections.addAll(parameters, more);
            return this;
        }

        /** Appends another one. */
        Query and(Query part) {
            return and(part.text.toString(), part.parameters.toArray());
        }

        String text() {
            return text.toString();
        }

        @Nullable
        Object[] parameters() {
            return parameters.toArray();
        }
    }

    /**
     * Returns the tasks with the keys that a statement finds.
     *
     * @param order of the tasks, by columns of {@code t}
     */
    List<DurableTask> tasks(Query keys, String order) {
        Query query = Query.of(COLUMNS + "(")
                .and(keys)
                .and(") f join {task} t on t.task_name = f.task_name and t.task_instance = f.task_instance" + OWNER
                        + " order by " + order);
        return sql.queryPlanned(query.text(), this::read, query.parameters());
    }

    /** Returns the tasks of which conditions on {@code t} are true. */
    List<DurableTask> tasksWhere(Query conditions) {
        Query query = Query.of(COLUMNS + "{task} t" + OWNER + " where ").and(conditions);
        return sql.queryPlanned(query.text(), this::read, query.parameters());
    }

    /** Returns how many rows a statement finds. */
    int count(Query rows) {
        Query query = Query.of("select count(*) from (").and(rows).and(") counted");
        return sql.queryPlanned(query.text(), (row, number) -> row.getInt(1), query.parameters())
                .get(0);
    }

    /** A recurring one has the handler that runs it behind the name of all recurring ones. */
    private DurableTask read(ResultSet row, int number) throws SQLException {
        String name = row.getString("task_name");
        String madeFor = row.getString("made_for");
        String owner = row.getString("owner_name");
        return new DurableTask(
                name.startsWith(Handler.RECURRING) ? Handler.RECURRING + (madeFor == null ? "" : madeFor) : name,
                row.getString("task_instance"),
                dialect.dueAt(row),
                RowState.read(row.getInt("state")),
                owner == null ? row.getString("owner") : owner,
                row.getInt("consecutive_failures"),
                dialect.instant(row, "last_failure"),
                row.getString("failure"));
    }

    /** Returns what a text is compared with by {@code like}, with {@code !} before what would mean something there. */
    static String quoted(String text) {
        return text.replace("!", "!!").replace("%", "!%").replace("_", "!_");
    }

    /**
     * Returns conditions on the columns of keys, each with {@code and} before it, that are true of tasks of a filter.
     */
    Query matching(RowFilter filter, String alias) {
        Query query = new Query();
        int state = filter.rowState();
        query.and(" and " + alias + ".state " + (state < 0 ? "<> " + RowState.ENDED : "= " + state));
        if (filter.prefix() != null) {
            query.and(" and " + alias + ".task_instance like ? escape '!'", quoted(filter.prefix()) + "%");
        }
        if (filter.failedUntil() != null) {
            query.and(
                    " and (" + alias + ".last_failure is null or " + alias + ".last_failure <= ?)",
                    dialect.time(filter.failedUntil()));
        }
        if (filter.notDueAt() != null) {
            query.and(" and " + alias + ".execution_time <> ?", dialect.time(filter.notDueAt()));
        }
        return query;
    }
}
