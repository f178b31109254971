package io.github.wheelscheduler.durable.internal.operator;

import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.internal.Handler;
import io.github.wheelscheduler.durable.internal.operator.Rows.Query;
import io.github.wheelscheduler.durable.internal.row.RowState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Searches the errors of the tasks that have failed for good, of which it reads the newest by due time: no more rows
 * than a search may, and the first characters of each error.
 */
record ErrorSearch(Rows rows, HandlerNames names) {

    private static final int SMALLEST_BATCH = 100;

    private static final Comparator<DurableTask> NEWEST_FIRST =
            Comparator.comparing(DurableTask::dueAt).reversed().thenComparing(DurableTask::handler);

    /**
     * The number of newest rows of each handler that are searched.
     *
     * @param from when the oldest of them is due; null if all are searched
     */
    record Share(Map<String, Integer> ofHandlers, @Nullable Instant from) {}

    /** Returns a page, the newest first. */
    FoundTasks find(RowFilter filter, @Nullable Place from, int limit) {
        Share share = share(filter);
        List<DurableTask> found = new ArrayList<>();
        share.ofHandlers.forEach(
                (name, most) -> found.addAll(rows.tasks(keys(filter, name, most, from, limit + 1), order("t."))));
        // The tasks of one handler stay in the order of the database.
        found.sort(NEWEST_FIRST);
        boolean isMore = found.size() > limit;
        DurableTask last = isMore ? found.get(limit - 1) : null;
        return new FoundTasks(
                isMore ? List.copyOf(found.subList(0, limit)) : found,
                last == null ? null : new Place(last.handler(), last.dueAt(), last.id()).text(),
                share.from != null);
    }

    /** Counts what is left behind a place. */
    FoundTasks.Count count(RowFilter filter, @Nullable Place from) {
        Share share = share(filter);
        int matching = 0;
        for (Map.Entry<String, Integer> part : share.ofHandlers.entrySet()) {
            matching += rows.count(keys(filter, part.getKey(), part.getValue(), from, RowSearch.MOST_READ));
        }
        return new FoundTasks.Count(matching, false);
    }

    private static String order(String alias) {
        return alias + "execution_time desc, " + alias + "task_instance desc";
    }

    private Query keys(RowFilter filter, String name, int most, @Nullable Place from, int limit) {
        Query query = Query.of("select k.task_name, k.task_instance from (")
                .and(newest(
                        filter,
                        name,
                        "task_name, task_instance, execution_time, state, last_failure, lower(substring(failure, 1, "
                                + RowSearch.ERROR_LENGTH + ")) as error"))
                .and(" limit " + most + ") k where 1 = 1")
                .and(rows.matching(filter, "k"));
        for (String word : filter.words()) {
            query.and(" and k.error like ? escape '!'", "%" + Rows.quoted(word) + "%");
        }
        if (from != null && from.dueAt() != null) {
            Object time = rows.dialect().time(from.dueAt());
            int order = name.compareTo(from.handler());
            if (order == 0) {
                query.and(
                        " and (k.execution_time < ? or (k.execution_time = ? and k.task_instance < ?))",
                        time,
                        time,
                        from.id());
            } else {
                query.and(" and k.execution_time " + (order > 0 ? "<=" : "<") + " ?", time);
            }
        }
        return query.and(" order by " + order("k.") + " limit " + limit);
    }

    private Query newest(RowFilter filter, String name, String columns) {
        Query query = Query.of(
                "select " + columns + " from {task}" + rows.dialect().byTime() + " where state = " + RowState.FAILED
                        + " and task_name = ?",
                name);
        if (filter.dueFrom() != null) {
            query.and(" and execution_time >= ?", rows.dialect().time(filter.dueFrom()));
        }
        return query.and(" order by " + order(""));
    }

    /** Divides the rows that may be read among the handlers of a filter, so that they are the newest of all. */
    Share share(RowFilter filter) {
        Map<String, Integer> shares = new HashMap<>();
        PriorityQueue<Newest> heads =
                new PriorityQueue<>(Comparator.comparing(Newest::dueAt).reversed());
        List<String> handlers = names.of(filter);
        boolean isWhole = handlers.size() <= RowSearch.MOST_HANDLERS;
        handlers = isWhole ? handlers : handlers.subList(0, RowSearch.MOST_HANDLERS);
        if (isWhole && handlers.size() > 1 && !areMany()) {
            handlers.forEach(name -> shares.put(name, RowSearch.MOST_READ));
            return new Share(shares, null);
        }
        for (String name : handlers) {
            Newest newest = new Newest(filter, name, handlers.size() == 1);
            if (newest.hasNext()) {
                boolean ignored = heads.add(newest);
            }
        }
        Instant last = null;
        for (int left = RowSearch.MOST_READ; left > 0 && !heads.isEmpty(); left--) {
            Newest newest = heads.remove();
            last = newest.dueAt();
            Integer ignored = shares.merge(newest.name, 1, Integer::sum);
            newest.next++;
            if (newest.hasNext()) {
                boolean unused = heads.add(newest);
            }
        }
        return new Share(shares, heads.isEmpty() && isWhole ? null : last);
    }

    private boolean areMany() {
        return rows.count(
                        Query.of("select 1 as one from {task}" + rows.dialect().byTime() + " where state = "
                                + RowState.FAILED + " and task_name <> '" + Handler.MADE + "' limit "
                                + (RowSearch.MOST_READ + 1)))
                > RowSearch.MOST_READ;
    }

    /** When the failed tasks of a handler are due, the newest first; each batch is as large as all before. */
    private final class Newest {

        private final RowFilter filter;
        private final String name;
        private final List<Instant> times = new ArrayList<>();
        private int next;
        private boolean isAll;
        private int batch;

        Newest(RowFilter filter, String name, boolean isOnly) {
            this.filter = filter;
            this.name = name;
            this.batch = isOnly ? RowSearch.MOST_READ + 1 : SMALLEST_BATCH;
        }

        boolean hasNext() {
            if (next == times.size() && !isAll) {
                Query query = newest(filter, name, "execution_time").and(" limit " + batch + " offset " + next);
                times.addAll(rows.sql()
                        .queryPlanned(
                                query.text(), (row, number) -> rows.dialect().dueAt(row), query.parameters()));
                isAll = times.size() < next + batch;
                batch = Math.max(batch, times.size());
            }
            return next < times.size();
        }

        Instant dueAt() {
            return times.get(next);
        }
    }
}
