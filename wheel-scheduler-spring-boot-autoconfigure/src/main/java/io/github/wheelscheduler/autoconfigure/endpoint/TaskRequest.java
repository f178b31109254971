package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.spring.task.TaskQuery;
import io.github.wheelscheduler.spring.task.TaskQuery.Condition;
import io.github.wheelscheduler.spring.task.TaskQuery.Order;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A request for tasks as the caller wrote it, possibly nonsense; null for parameters that are not given.
 *
 * @param scheduler the only one to show
 * @param group the only one to show
 * @param text in the ids of tasks
 * @param state of tasks, or several with commas in between
 * @param sort the property by which they are sorted
 * @param order {@code asc} or {@code desc}
 * @param after stands for the end of the page before
 * @param offset the number of tasks to leave out
 * @param limit the maximum number of tasks to return, up to 500; 50 if it is not given
 * @param frequent {@code false} to leave out tasks that run more often than every ten minutes
 * @param show the parts to show beside schedulers and tasks, with commas in between
 */
record TaskRequest(
        @Nullable String scheduler,
        @Nullable String group,
        @Nullable String text,
        @Nullable String state,
        @Nullable String sort,
        @Nullable String order,
        @Nullable String after,
        @Nullable Integer offset,
        @Nullable Integer limit,
        @Nullable String frequent,
        @Nullable String show) {

    /** A part that is shown only on request. */
    enum Part {
        FINDINGS,
        WHEEL,
        DAY,
        TIMERS
    }

    static final int DEFAULT_LIMIT = 50;
    static final int MAX_LIMIT = 500;

    private static final Map<String, Order> ORDERS = new LinkedHashMap<>();
    private static final Map<String, Condition> CONDITIONS = byName(Condition.values());
    private static final Map<String, Part> PARTS = byName(Part.values());

    static {
        ORDERS.put("scheduler", Order.SCHEDULER);
        ORDERS.put("id", Order.ID);
        ORDERS.put("next", Order.NEXT);
        ORDERS.put("lastFailure", Order.LAST_FAILURE);
        ORDERS.put("lateness", Order.LATENESS);
        ORDERS.put("urgency", Order.URGENCY);
    }

    private static <T extends Enum<T>> Map<String, T> byName(T[] values) {
        Map<String, T> known = new LinkedHashMap<>();
        Stream.of(values).forEach(value -> known.put(value.name().toLowerCase(Locale.ROOT), value));
        return known;
    }

    /** Returns a request for all tasks that a filter finds. */
    static TaskRequest ofFilter(
            @Nullable String scheduler, @Nullable String group, @Nullable String text, @Nullable String state) {
        return new TaskRequest(scheduler, group, text, state, null, null, null, null, null, null, null);
    }

    /**
     * Returns whether tasks are left out that run often.
     *
     * @throws IllegalArgumentException if the text is neither true nor false
     */
    boolean isWithoutFrequent() {
        return !isTrue("frequent", Objects.requireNonNullElse(frequent, "true"));
    }

    /** Reads a text that is true or false; null is false. */
    static boolean isTrue(String what, @Nullable String text) {
        if (text == null || text.equals("false")) {
            return false;
        }
        if (text.equals("true")) {
            return true;
        }
        throw new IllegalArgumentException(what + " must be true or false, was " + text);
    }

    /** Whether it may leave tasks out. */
    boolean isFiltered() {
        return scheduler != null || group != null || state != null || (text != null && !text.isEmpty());
    }

    /** Returns the filter for the log; {@code all} if there is none. */
    String filterText() {
        String found = Stream.of(
                        named("scheduler", scheduler),
                        named("group", group),
                        named("state", state),
                        named("text", text))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(", "));
        return found.isEmpty() ? "all" : found;
    }

    private static String named(String name, @Nullable String value) {
        return value == null ? "" : name + " " + value;
    }

    /**
     * Returns what is to be shown beside schedulers and tasks.
     *
     * @throws IllegalArgumentException if one of the words is none that is known
     */
    Set<Part> parts() {
        return show == null ? Set.of() : Set.copyOf(allOf("show", PARTS, show));
    }

    /**
     * Returns what was meant.
     *
     * @throws IllegalArgumentException if one of the texts or numbers is none that is known
     */
    TaskQuery toQuery() {
        int from = offset == null ? 0 : offset;
        int atMost = limit == null ? DEFAULT_LIMIT : limit;
        if (from < 0) {
            throw new IllegalArgumentException("offset must not be negative, was " + from);
        }
        if (atMost < 0 || atMost > MAX_LIMIT) {
            throw new IllegalArgumentException("limit must be between 0 and " + MAX_LIMIT + ", was " + atMost);
        }
        List<Condition> conditions = state == null ? List.of() : allOf("state", CONDITIONS, state);
        return TaskQuery.ALL
                .withText(text == null ? "" : text)
                .in(conditions.toArray(Condition[]::new))
                .orderedBy(sort == null ? Order.SCHEDULER : oneOf("sort", ORDERS, sort), isDescending())
                .after(after)
                .part(from, atMost);
    }

    private boolean isDescending() {
        if (order == null || order.equals("asc")) {
            return false;
        }
        if (order.equals("desc")) {
            return true;
        }
        throw new IllegalArgumentException("order must be asc or desc, was " + order);
    }

    private static <T> List<T> allOf(String what, Map<String, T> known, String given) {
        return Stream.of(given.split(",", -1))
                .map(word -> oneOf(what, known, word.strip()))
                .toList();
    }

    private static <T> T oneOf(String what, Map<String, T> known, String given) {
        T found = known.get(given);
        if (found == null) {
            throw new IllegalArgumentException(what + " must be one of " + known.keySet() + ", was " + given);
        }
        return found;
    }
}
