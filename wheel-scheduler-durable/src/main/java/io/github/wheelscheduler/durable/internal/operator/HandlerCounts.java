package io.github.wheelscheduler.durable.internal.operator;

import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.Dialect;
import io.github.wheelscheduler.durable.internal.DurableNode;
import io.github.wheelscheduler.durable.internal.DurableNode.RunHere;
import io.github.wheelscheduler.durable.internal.Handler;
import io.github.wheelscheduler.durable.internal.Sql;
import io.github.wheelscheduler.durable.internal.row.RowState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The handlers that there are tasks of or that nodes have, and how many tasks each has. Each number is counted up to
 * {@link RowSearch#MOST_READ}: one more means more than that. Any thread.
 */
public final class HandlerCounts {

    private static final int LIMIT = RowSearch.MOST_READ + 1;

    private final DurableNode node;

    /** Makes one that asks as a node. */
    public HandlerCounts(DurableNode node) {
        this.node = node;
    }

    /**
     * The number of tasks of a handler by state.
     *
     * @param scheduled the number of one-time tasks that wait
     * @param claimed the number of one-time tasks that nodes have claimed, among as many claimed rows as a search reads
     * @param running the number of active runs on this node, of recurring tasks too
     * @param failed the number of one-time tasks that have failed permanently
     * @param unreadable the number of one-time tasks that no node could read so far
     * @param recurring the number of recurring tasks that have been made for it at run time
     * @param isUnknown whether no node has the handler; false if that is not known
     */
    public record OfHandler(
            String handler,
            int scheduled,
            int claimed,
            int running,
            int failed,
            int unreadable,
            int recurring,
            boolean isUnknown) {}

    /**
     * The handlers by name.
     *
     * @param isCut whether there are more than {@link RowSearch#MOST_HANDLERS}
     * @param areManyClaimed whether nodes have claimed more rows than were read
     */
    public record All(List<OfHandler> handlers, boolean isCut, boolean areManyClaimed) {}

    /** Counts. */
    public All all() {
        Tables tables = node.tables();
        Sql sql = tables.sql();
        HandlerNames names = new HandlerNames(sql, sql.dialect());
        Map<String, Integer> recurring = grouped(
                sql, "made_for", "select made_for from {task} where task_name = '" + Handler.MADE + "' limit " + LIMIT);
        Map<String, Integer> claimed = grouped(sql, "task_name", names.claimed("task_name", LIMIT));
        TreeSet<String> all = new TreeSet<>(names.of(-1));
        all.addAll(node.handlersOfNodes());
        all.addAll(recurring.keySet());
        List<String> some = all.stream().limit(RowSearch.MOST_HANDLERS).toList();
        Map<String, Integer> scheduled = inState(sql, RowState.WAITING, some);
        Map<String, Integer> failed = inState(sql, RowState.FAILED, some);
        Map<String, Integer> unreadable = inState(sql, RowState.UNREADABLE, some);
        Map<String, Long> running =
                node.runsHere().stream().collect(Collectors.groupingBy(RunHere::handler, Collectors.counting()));
        return new All(
                some.stream()
                        .map(name -> new OfHandler(
                                name,
                                scheduled.getOrDefault(name, 0),
                                claimed.getOrDefault(name, 0),
                                running.getOrDefault(name, 0L).intValue(),
                                failed.getOrDefault(name, 0),
                                unreadable.getOrDefault(name, 0),
                                recurring.getOrDefault(name, 0),
                                node.lacks(name)))
                        .toList(),
                all.size() > some.size(),
                claimed.values().stream().mapToInt(Integer::intValue).sum() == LIMIT);
    }

    private static Map<String, Integer> grouped(Sql sql, String column, String rows) {
        return read(
                sql,
                "select " + column + " as handler, count(*) as tasks from (" + rows + ") some_rows where " + column
                        + " is not null group by " + column,
                List.of());
    }

    private static Map<String, Integer> inState(Sql sql, int state, Collection<String> handlers) {
        Dialect dialect = sql.dialect();
        String one = "select " + dialect.text() + " as handler, count(*) as tasks from (select 1 as one from {task}"
                + dialect.byTime() + " where state = " + state
                // In that order, or PostgreSQL may read the table up to there.
                + " and task_name = ? order by execution_time limit " + LIMIT + ") some_rows";
        List<Object> parameters = new ArrayList<>();
        handlers.forEach(handler -> Collections.addAll(parameters, handler, handler));
        return handlers.isEmpty()
                ? Map.of()
                : read(sql, String.join(" union all ", Collections.nCopies(handlers.size(), one)), parameters);
    }

    private static Map<String, Integer> read(Sql sql, String statement, List<Object> parameters) {
        Map<String, Integer> counts = new HashMap<>();
        sql.queryPlanned(
                        statement,
                        (row, number) -> Map.entry(row.getString("handler"), row.getInt("tasks")),
                        parameters.toArray())
                .forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
        return counts;
    }
}
