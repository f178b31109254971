package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.internal.operator.RowFilter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The query of a request for tasks, unchecked.
 *
 * @param handler only those of this handler
 * @param state only those in that state
 * @param id only those with exactly this id
 * @param prefix only those whose id begins so
 * @param error only tasks that have failed permanently and whose error has all of these words
 * @param after the cursor at which the page begins
 * @param limit the maximum number of tasks
 * @param show the parts to show besides: {@code payload}, {@code count}
 */
record DurableQuery(
        @Nullable String handler,
        @Nullable String state,
        @Nullable String id,
        @Nullable String prefix,
        @Nullable String error,
        @Nullable String after,
        @Nullable Integer limit,
        @Nullable String show) {

    static final int MAX_LIMIT = 500;
    private static final int DEFAULT_LIMIT = 50;
    private static final int MOST_WORDS = 10;

    /** Returns the same for the handler that the path has; empty for none. */
    DurableQuery of(String inPath) {
        return inPath.isEmpty() ? this : new DurableQuery(inPath, state, id, prefix, error, after, limit, show);
    }

    /** @throws IllegalArgumentException if the state is none, or there are too many words */
    RowFilter filter() {
        List<String> words = error == null
                ? List.of()
                : Stream.of(error.trim().split("\\s+", -1))
                        .filter(word -> !word.isEmpty())
                        .toList();
        if (words.size() > MOST_WORDS) {
            throw new IllegalArgumentException("error must have at most " + MOST_WORDS + " words, had " + words.size());
        }
        return RowFilter.of(emptyIsNull(handler), parseState(), emptyIsNull(id), emptyIsNull(prefix), words);
    }

    private static @Nullable String emptyIsNull(@Nullable String text) {
        return text == null || text.isEmpty() ? null : text;
    }

    /** Returns what is looked for, for the log. */
    String words() {
        StringBuilder words = new StringBuilder("tasks");
        if (state != null) {
            words.append(' ').append(state);
        }
        if (handler != null) {
            words.append(" of ").append(handler);
        }
        if (id != null || prefix != null) {
            words.append(" with id ").append(id != null ? id : prefix + "*");
        }
        return error == null ? words.toString() : words + " with error " + error;
    }

    /** @throws IllegalArgumentException if it is out of range */
    int atMost() {
        int atMost = limit == null ? DEFAULT_LIMIT : limit;
        if (atMost < 1 || atMost > MAX_LIMIT) {
            throw new IllegalArgumentException("limit must be between 1 and " + MAX_LIMIT + ", was " + limit);
        }
        return atMost;
    }

    /** @throws IllegalArgumentException if something else is to be shown */
    boolean shows(String what) {
        if (show != null && !show.equals("payload") && !show.equals("count")) {
            throw new IllegalArgumentException("show must be payload or count, was " + show);
        }
        return what.equals(show);
    }

    private DurableTask.@Nullable State parseState() {
        if (state == null || state.isEmpty()) {
            return null;
        }
        try {
            return DurableTask.State.valueOf(state.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException ex) {
            throw new IllegalArgumentException(
                    "state must be scheduled, claimed, failed or unreadable, was " + state, ex);
        }
    }
}
