package io.github.wheelscheduler.history;

import java.time.Instant;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Selects rows of the history. Start from {@link #ALL}.
 *
 * @param from the first time; null for the oldest row
 * @param to the time behind the last one; null for now
 * @param task the id of a task, or a handler; null for all
 * @param instance the id of a one-time task, with its handler; null for all
 * @param outcomes the outcomes of runs; none for all
 * @param cause the cause of runs; null for all
 * @param node the name of a node; null for all
 * @param text a part of the class or message of a failure, in any case; null for all
 * @param before the cursor of the page before, as {@link HistoryPage#next} has it; null for the first page
 * @param limit the maximum number of rows on a page, 1 to 1,000
 */
public record HistoryQuery(
        @Nullable Instant from,
        @Nullable Instant to,
        @Nullable String task,
        @Nullable String instance,
        Set<HistoryOutcome> outcomes,
        @Nullable HistoryCause cause,
        @Nullable String node,
        @Nullable String text,
        @Nullable String before,
        int limit) {

    /** Maximum number of rows of a page. */
    public static final int MOST_ROWS = 1_000;

    private static final int USUAL_ROWS = 50;

    /** All rows, the newest first, 50 on a page. */
    public static final HistoryQuery ALL =
            new HistoryQuery(null, null, null, null, Set.of(), null, null, null, null, USUAL_ROWS);

    /**
     * Selects rows.
     *
     * @throws IllegalArgumentException if the limit is out of range, if it has an instance without a task, or a node or
     *     a text with neither a task nor a range of time
     */
    public HistoryQuery {
        Objects.requireNonNull(outcomes, "outcomes must not be null");
        outcomes = outcomes.isEmpty() ? Set.of() : Set.copyOf(EnumSet.copyOf(outcomes));
        require(limit >= 1 && limit <= MOST_ROWS, "limit must be 1 to " + MOST_ROWS + ", was " + limit);
        require(instance == null || task != null, "instance must have a task, was " + instance);
        require(
                (node == null && text == null) || task != null || (from != null && to != null),
                "node and text must have a task, or a range of time with from and to");
        require(from == null || to == null || !to.isBefore(from), "to must not be before from, was " + to);
    }

    private static void require(boolean isMet, String rule) {
        if (!isMet) {
            throw new IllegalArgumentException(rule);
        }
    }

    /** Returns the same between two times. */
    public HistoryQuery between(@Nullable Instant first, @Nullable Instant end) {
        return new HistoryQuery(first, end, task, instance, outcomes, cause, node, text, before, limit);
    }

    /** Returns the same of one task. */
    public HistoryQuery ofTask(String id) {
        return new HistoryQuery(from, to, id, instance, outcomes, cause, node, text, before, limit);
    }

    /** Returns the same of a one-time task of a handler. */
    public HistoryQuery ofInstance(String handler, String id) {
        return new HistoryQuery(from, to, handler, id, outcomes, cause, node, text, before, limit);
    }

    /** Returns the same with some outcomes. */
    public HistoryQuery with(Set<HistoryOutcome> some) {
        return new HistoryQuery(from, to, task, instance, some, cause, node, text, before, limit);
    }

    /** Returns the same with one cause. */
    public HistoryQuery causedBy(HistoryCause one) {
        return new HistoryQuery(from, to, task, instance, outcomes, one, node, text, before, limit);
    }

    /** Returns the same of one node. */
    public HistoryQuery onNode(String name) {
        return new HistoryQuery(from, to, task, instance, outcomes, cause, name, text, before, limit);
    }

    /** Returns the same with a part of the class or message of a failure. */
    public HistoryQuery containing(String part) {
        return new HistoryQuery(from, to, task, instance, outcomes, cause, node, part, before, limit);
    }

    /** Returns the page that follows a cursor. */
    public HistoryQuery after(@Nullable String cursor) {
        return new HistoryQuery(from, to, task, instance, outcomes, cause, node, text, cursor, limit);
    }

    /** Returns the same with other pages. */
    public HistoryQuery limit(int rows) {
        return new HistoryQuery(from, to, task, instance, outcomes, cause, node, text, before, rows);
    }
}
