package io.github.wheelscheduler.durable.internal.operator;

import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.internal.operator.Rows.Query;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Searches one handler after the other: those of a state by time and id, others by id. Each handler is one range of an
 * index; the number of rows read in all is bounded.
 *
 * @param prefixIsRange whether ids that begin with a text are a range of the primary key
 */
record RangeSearch(Rows rows, HandlerNames names, boolean prefixIsRange) {

    /** Returns a page. */
    FoundTasks find(RowFilter filter, @Nullable Place from, int limit) {
        List<DurableTask> found = new ArrayList<>();
        int left = RowSearch.MOST_READ;
        int handlers = 0;
        for (String name : HandlerNames.from(names.of(filter), from)) {
            if (handlers++ == RowSearch.MOST_HANDLERS) {
                return new FoundTasks(found, Place.atHandler(name).text(), true);
            }
            Range range = range(filter, name, from);
            found.addAll(range.read(left, limit + 1 - found.size()));
            if (found.size() > limit) {
                return new FoundTasks(List.copyOf(found.subList(0, limit)), range.placeOf(found.get(limit - 1)), false);
            }
            if (range.isSelective()) {
                int read = rows.count(range.keys("1 as one", left));
                if (read == left) {
                    return new FoundTasks(found, range.placeAt(left - 1), true);
                }
                left -= read;
            }
        }
        return new FoundTasks(found, null, false);
    }

    /** Counts what is left behind a place. */
    FoundTasks.Count count(RowFilter filter, @Nullable Place from) {
        int matching = 0;
        int left = RowSearch.MOST_READ + 1;
        int handlers = 0;
        for (String name : HandlerNames.from(names.of(filter), from)) {
            if (left == 0 || handlers++ == RowSearch.MOST_HANDLERS) {
                return new FoundTasks.Count(Math.min(matching, RowSearch.MOST_READ), true);
            }
            Range range = range(filter, name, from);
            int read = rows.count(range.keys("1 as one", left));
            matching += range.isSelective() && read > 0 ? rows.count(range.matchingKeys(left, left)) : read;
            left -= read;
        }
        return new FoundTasks.Count(Math.min(matching, RowSearch.MOST_READ), left == 0);
    }

    private Range range(RowFilter filter, String name, @Nullable Place from) {
        boolean isPrefixed = filter.prefix() != null && prefixIsRange;
        boolean isByTime = filter.state() != null && !isPrefixed;
        Place place = from != null && from.handler().equals(name) && !from.isBeginning() ? from : null;
        return new Range(rows, filter, name, place, isByTime, isPrefixed);
    }

    /**
     * The tasks of one handler behind a place.
     *
     * @param isByTime whether they are ordered by time and id, in one state; else by id
     * @param isPrefixed whether the beginning of their ids is part of the range
     */
    private record Range(
            Rows rows,
            RowFilter filter,
            String name,
            @Nullable Place place,
            boolean isByTime,
            boolean isPrefixed) {

        /** Whether rows of it may not match. */
        boolean isSelective() {
            return filter.isSelective();
        }

        private String order(String alias) {
            return isByTime ? alias + "execution_time, " + alias + "task_instance" : alias + "task_instance";
        }

        /** Returns the statement that reads columns of a number of rows, matching or not. */
        Query keys(String columns, int limit) {
            return ordered(columns).and(" limit " + limit);
        }

        private Query ordered(String columns) {
            Query query = Query.of("select " + columns + " from {task}"
                    + (isByTime ? rows.dialect().byTime() : rows.dialect().byKey()) + " where ");
            query.and(isByTime ? "state = " + filter.rowState() + " and task_name = ?" : "task_name = ?", name);
            if (isPrefixed) {
                query.and(" and task_instance like ? escape '!'", Rows.quoted(String.valueOf(filter.prefix())) + "%");
            }
            if (place != null) {
                Instant dueAt = place.dueAt();
                if (isByTime && dueAt != null) {
                    Object time = rows.dialect().time(dueAt);
                    query.and(
                            " and execution_time >= ? and (execution_time > ? or task_instance > ?)",
                            time,
                            time,
                            place.id());
                } else {
                    query.and(" and task_instance > ?", place.id());
                }
            }
            return query.and(" order by " + order(""));
        }

        /** Returns the statement that reads the keys of a number of matching tasks, among a number of rows. */
        Query matchingKeys(int limit, int most) {
            return Query.of("select k.task_name, k.task_instance from (")
                    .and(keys("task_name, task_instance, execution_time, state, last_failure", most))
                    .and(") k where 1 = 1")
                    .and(rows.matching(filter, "k"))
                    .and(" order by " + order("k.") + " limit " + limit);
        }

        List<DurableTask> read(int most, int limit) {
            return rows.tasks(matchingKeys(limit, isSelective() ? most : limit), order("t."));
        }

        String placeOf(DurableTask task) {
            return new Place(task.handler(), isByTime ? task.dueAt() : null, task.id()).text();
        }

        /** Returns the place of the row that so many others are before. */
        String placeAt(int before) {
            Query query = ordered("task_instance, execution_time").and(" limit 1 offset " + before);
            List<String> found = rows.sql()
                    .queryPlanned(
                            query.text(),
                            (row, number) -> new Place(
                                            name,
                                            isByTime ? rows.dialect().dueAt(row) : null,
                                            row.getString("task_instance"))
                                    .text(),
                            query.parameters());
            // Where others have gone meanwhile, it begins anew.
            return found.isEmpty() ? (place == null ? Place.atHandler(name) : place).text() : found.get(0);
        }
    }
}
