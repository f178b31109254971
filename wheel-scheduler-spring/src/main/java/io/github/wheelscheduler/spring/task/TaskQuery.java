package io.github.wheelscheduler.spring.task;

import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A query for tasks: the tasks to find, their order, and the part of them to return. Start from {@link #ALL}:
 * {@code TaskQuery.ALL.withText("import").in(Condition.FAILING).orderedBy(Order.LAST_FAILURE, true).part(0, 20)}.
 *
 * @param text a part of the id, in upper or lower case; empty for any id
 * @param conditions a task is found if it meets one of them; empty for any task
 * @param order the order of the tasks
 * @param descending whether that order is turned around
 * @param after the {@link Page#next} of the previous page; null for the first page
 * @param offset the number of tasks that are left out, from there on
 * @param limit the maximum number of tasks on a page
 */
public record TaskQuery(
        String text,
        Set<Condition> conditions,
        Order order,
        boolean descending,
        @Nullable String after,
        int offset,
        int limit) {

    /** All tasks, in the order of schedulers and ids. */
    public static final TaskQuery ALL = new TaskQuery("", Set.of(), Order.SCHEDULER, false, null, 0, Integer.MAX_VALUE);

    /**
     * Makes one.
     *
     * @throws IllegalArgumentException if offset or limit is negative
     */
    public TaskQuery {
        Objects.requireNonNull(text, "text must not be null");
        Objects.requireNonNull(order, "order must not be null");
        conditions = Set.copyOf(conditions);
        if (offset < 0 || limit < 0) {
            throw new IllegalArgumentException(
                    "offset and limit must not be negative, were " + offset + " and " + limit);
        }
    }

    /**
     * Returns this query, for tasks that have each word of a text, in upper or lower case, in their id or, if their
     * last run failed, in the type or message of its exception.
     */
    public TaskQuery withText(String other) {
        return new TaskQuery(other, conditions, order, descending, after, offset, limit);
    }

    /** Returns this query, for tasks that meet one of the conditions; for any if there is none. */
    public TaskQuery in(Condition... others) {
        Set<Condition> wanted = EnumSet.noneOf(Condition.class);
        boolean ignored = wanted.addAll(List.of(others));
        return new TaskQuery(text, wanted, order, descending, after, offset, limit);
    }

    /** Returns this query, in another order. */
    public TaskQuery orderedBy(Order other, boolean isDescending) {
        return new TaskQuery(text, conditions, other, isDescending, after, offset, limit);
    }

    /**
     * Returns this query, for the tasks that come after a page.
     *
     * @param next the {@link Page#next} of that page; null for the first page
     */
    public TaskQuery after(@Nullable String next) {
        return new TaskQuery(text, conditions, order, descending, next, offset, limit);
    }

    /**
     * Returns this query, for a part of the tasks.
     *
     * @throws IllegalArgumentException if either is negative
     */
    public TaskQuery part(int from, int atMost) {
        return new TaskQuery(text, conditions, order, descending, after, from, atMost);
    }

    /** Conditions of a task, of which it may meet several. */
    public enum Condition {
        /** Its next run is late, by more than the grace allows. */
        OVERDUE,
        /** The run that ended last failed. */
        FAILING,
        /**
         * Of its last ten runs, those by its schedule, at least three, each took longer than it was to the next one.
         */
        OVERRUNNING,
        /** See {@link TaskInfo.State#PAUSED}. */
        PAUSED,
        /** See {@link TaskInfo.State#RUNNING}. */
        RUNNING,
        /** See {@link TaskInfo.State#PENDING}. */
        PENDING,
        /** See {@link TaskInfo.State#DISABLED}. */
        DISABLED,
        /** See {@link TaskInfo.State#OVER}. */
        OVER
    }

    /** The sort keys of tasks. Tasks that are equal in it are in the order of their ids. */
    public enum Order {
        /** The scheduler, in the order in which schedulers were given, and then the id. */
        SCHEDULER,
        /** The id, by its characters. */
        ID,
        /** When the next run is due. Tasks that no timer waits for come last, both ways. */
        NEXT,
        /** When a run last failed. Tasks that have not failed come last, both ways. */
        LAST_FAILURE,
        /** By how much the next run is late by now. */
        LATENESS,
        /**
         * By attention: tasks that are overdue or failing, the latest first, and then all others, the next to run
         * first.
         */
        URGENCY
    }

    /**
     * Tasks that were found.
     *
     * @param <T> the type in which a task is shown
     * @param tasks in the requested order
     * @param total the number of tasks that were found, on this page and on others
     * @param next stands for the end of this page, to be passed to {@link #after}; null if no task comes after it
     */
    public record Page<T>(
            List<T> tasks, int total, @Nullable String next) {}
}
