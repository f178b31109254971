package io.github.wheelscheduler.durable.internal.operator;

import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.internal.Arguments;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.Dialect;
import io.github.wheelscheduler.durable.internal.Handler;
import io.github.wheelscheduler.durable.internal.operator.Rows.Query;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Searches one-time tasks of all handlers. However many rows there are, a search reads a bounded number of them, each
 * from a range of an index, and says where it goes on. Any thread.
 */
public final class RowSearch {

    /** The maximum number of rows that a search reads, beside the ones that it finds. */
    public static final int MOST_READ = 10_000;

    /** The maximum number of handlers that it searches. */
    public static final int MOST_HANDLERS = 100;

    /** The number of characters of an error that it searches and shows. */
    public static final int ERROR_LENGTH = 500;

    private final Rows rows;
    private final HandlerNames names;
    private final RangeSearch ranges;
    private final ErrorSearch errors;

    /** Makes one of these tables. */
    public RowSearch(Tables tables) {
        Dialect dialect = tables.sql().dialect();
        this.rows = new Rows(tables.sql(), dialect);
        this.names = new HandlerNames(tables.sql(), dialect);
        this.ranges = new RangeSearch(rows, names, Collation.makesPrefixesRanges(tables.sql()));
        this.errors = new ErrorSearch(rows, names);
    }

    /**
     * Returns a page of tasks. Errors are found by due time, the newest first; tasks of a state by handler and time,
     * others by handler and id.
     *
     * @param after the {@code after} of the page before; null for the first page
     * @param limit the maximum number of tasks, at least 1
     * @throws IllegalArgumentException if the handler has a name that none can have, or {@code after} is none of a page
     */
    public FoundTasks find(RowFilter filter, @Nullable String after, int limit) {
        Place from = Place.read(after);
        if (filter.id() != null) {
            return byId(filter, filter.id(), from, limit);
        }
        if (filter.isOfErrors()) {
            return errors.find(filter, from, limit);
        }
        return filter.isOfClaimed() ? claimed(filter, from, limit) : ranges.find(filter, from, limit);
    }

    /**
     * Counts the tasks behind a place, which the search then may find.
     *
     * @param after as above
     * @throws IllegalArgumentException also if the filter is one of claimed tasks
     */
    public FoundTasks.Count count(RowFilter filter, @Nullable String after) {
        Place from = Place.read(after);
        if (filter.isOfClaimed()) {
            throw new IllegalArgumentException("state must not be claimed where tasks are counted");
        }
        if (filter.id() != null) {
            FoundTasks found = byId(filter, filter.id(), from, MOST_HANDLERS);
            return new FoundTasks.Count(found.tasks().size(), found.isCut());
        }
        return filter.isOfErrors() ? errors.count(filter, from) : ranges.count(filter, from);
    }

    /**
     * Returns a filter that finds no errors of tasks which are older than the ones that it searches now.
     *
     * @param until it finds no tasks that have failed since then; null for all
     */
    RowFilter bounded(RowFilter filter, @Nullable Instant until) {
        return filter.bounded(
                until,
                filter.isOfErrors() && filter.id() == null
                        ? errors.share(filter).from()
                        : null);
    }

    private FoundTasks byId(RowFilter filter, String id, @Nullable Place from, int limit) {
        Arguments.requireId(id);
        List<String> handlers = HandlerNames.from(names.of(filter), from);
        List<String> some = handlers.stream().limit(MOST_HANDLERS).toList();
        if (some.isEmpty()) {
            return new FoundTasks(List.of(), null, false);
        }
        Query query = Query.of(
                        "t.task_name in (" + Dialect.placeholders(some.size()) + ") and t.task_instance = ?",
                        some.toArray())
                .and("", id)
                .and(rows.matching(filter, "t"));
        for (String word : filter.words()) {
            query.and(
                    " and lower(substring(t.failure, 1, " + ERROR_LENGTH + ")) like ? escape '!'",
                    "%" + Rows.quoted(word) + "%");
        }
        List<DurableTask> found = rows.tasksWhere(query).stream()
                .sorted(Comparator.comparing(DurableTask::handler))
                .toList();
        boolean isMore = found.size() > limit;
        boolean isCut = handlers.size() > some.size();
        return new FoundTasks(
                isMore ? found.subList(0, limit) : found,
                isMore
                        ? Place.atHandler(found.get(limit).handler()).text()
                        : isCut ? Place.atHandler(handlers.get(some.size())).text() : null,
                isCut && !isMore);
    }

    /** No index orders claimed rows, so at most this many are read, recurring ones included, and sorted. */
    private FoundTasks claimed(RowFilter filter, @Nullable Place from, int limit) {
        Query query = Query.of("select k.task_name, k.task_instance from ("
                        + names.claimed("task_name, task_instance, execution_time, state, last_failure", MOST_READ)
                        + ") k where 1 = 1")
                .and(rows.matching(filter, "k"));
        if (filter.handler() != null) {
            Arguments.requireHandler(filter.handler());
            query.and(" and k.task_name = ?", filter.handler());
        }
        if (from != null) {
            query.and(
                    " and (k.task_name > ? or (k.task_name = ? and k.task_instance > ?))",
                    from.handler(),
                    from.handler(),
                    from.id());
        }
        query.and(" order by k.task_name, k.task_instance limit " + (limit + 1));
        List<DurableTask> found = rows.tasks(query, "t.task_name, t.task_instance");
        boolean isCut = rows.count(Query.of(names.claimed("1 as one", MOST_READ))) == MOST_READ;
        if (found.size() <= limit) {
            return new FoundTasks(found, null, isCut);
        }
        DurableTask last = found.get(limit - 1);
        String name = last.handler().startsWith(Handler.RECURRING)
                ? last.handler().equals(Handler.RECURRING) ? Handler.RECURRING : Handler.MADE
                : last.handler();
        return new FoundTasks(List.copyOf(found.subList(0, limit)), new Place(name, null, last.id()).text(), isCut);
    }
}
