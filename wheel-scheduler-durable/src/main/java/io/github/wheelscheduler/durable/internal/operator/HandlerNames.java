package io.github.wheelscheduler.durable.internal.operator;

import io.github.wheelscheduler.durable.internal.Arguments;
import io.github.wheelscheduler.durable.internal.Dialect;
import io.github.wheelscheduler.durable.internal.Handler;
import io.github.wheelscheduler.durable.internal.Sql;
import io.github.wheelscheduler.durable.internal.row.RowState;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the handlers of which there are rows, without reading more than one row of each, but for claimed ones. */
record HandlerNames(Sql sql, Dialect dialect) {

    private static final int[] INDEXED = {RowState.WAITING, RowState.FAILED, RowState.UNREADABLE};

    /** Returns the ones that have tasks which a filter may find, in their order. */
    List<String> of(RowFilter filter) {
        String handler = filter.handler();
        if (handler != null) {
            Arguments.requireHandler(handler);
            return List.of(handler);
        }
        return of(filter.rowState());
    }

    /**
     * Returns the ones that have tasks in a state, but for claimed ones; -1 for any state, where claimed ones count.
     */
    List<String> of(int state) {
        TreeSet<String> names = new TreeSet<>();
        for (int indexed : INDEXED) {
            if (state < 0 || state == indexed) {
                names.addAll(read(dialect.names(indexed)));
            }
        }
        if (state < 0) {
            names.addAll(read(
                    "select distinct task_name from (" + claimed("task_name", RowSearch.MOST_READ) + ") some_rows"));
        }
        names.removeIf(name -> name.startsWith(Handler.RECURRING));
        return List.copyOf(names);
    }

    /** Returns the statement that reads columns of a number of claimed rows. */
    String claimed(String columns, int limit) {
        return "select " + columns + " from {task}" + dialect.byOwner() + " where owner is not null limit " + limit;
    }

    private List<String> read(String statement) {
        return sql.queryPlanned(statement, (row, number) -> row.getString(1));
    }

    /** Returns those of sorted names at which a search goes on, or all. */
    static List<String> from(List<String> names, @Nullable Place place) {
        return place == null
                ? names
                : names.stream()
                        .filter(name -> name.compareTo(place.handler()) >= 0)
                        .toList();
    }
}
