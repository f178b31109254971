package io.github.wheelscheduler.durable.internal.operator;

import io.github.wheelscheduler.durable.DurableTask;
import io.github.wheelscheduler.durable.internal.Arguments;
import io.github.wheelscheduler.durable.internal.row.RowState;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Which one-time tasks are looked for.
 *
 * @param handler only those of this handler; null for all
 * @param state only those in that state; null for all
 * @param id only those with exactly this id; null for all
 * @param prefix only those whose id begins so; null for all
 * @param words only failed ones whose error has each of these, in upper or lower case; none for all
 * @param failedUntil only tasks that have not failed after that; null for all
 * @param dueFrom only tasks that are due then or later, among errors; null for all
 * @param notDueAt only tasks that are not due then; null for all
 */
public record RowFilter(
        @Nullable String handler,
        DurableTask.@Nullable State state,
        @Nullable String id,
        @Nullable String prefix,
        List<String> words,
        @Nullable Instant failedUntil,
        @Nullable Instant dueFrom,
        @Nullable Instant notDueAt) {

    /**
     * Checks what is looked for.
     *
     * @throws IllegalArgumentException if a text has a character that no row has, if errors are looked for among tasks
     *     that have none, or if there is both an id and the beginning of one
     */
    public RowFilter {
        words = words.stream().map(word -> word.toLowerCase(Locale.ROOT)).toList();
        words.forEach(word -> Arguments.requireText("error", word));
        if (prefix != null) {
            Arguments.requireText("prefix", prefix);
        }
        if (!words.isEmpty() && state != null && state != DurableTask.State.FAILED) {
            throw new IllegalArgumentException("state must be failed, or left out, for a search in errors, was "
                    + state.name().toLowerCase(Locale.ROOT));
        }
        if (id != null && prefix != null) {
            throw new IllegalArgumentException(
                    "id and prefix must not be given together, were " + id + " and " + prefix);
        }
    }

    /** Returns one that looks for the same, or for less. */
    public static RowFilter of(
            @Nullable String handler,
            DurableTask.@Nullable State state,
            @Nullable String id,
            @Nullable String prefix,
            List<String> words) {
        return new RowFilter(handler, state, id, prefix, words, null, null, null);
    }

    /** Returns one without tasks that have failed since an instant, and without errors of tasks due before another. */
    RowFilter bounded(@Nullable Instant until, @Nullable Instant from) {
        return new RowFilter(handler, state, id, prefix, words, until, from, notDueAt);
    }

    /** Returns one without tasks that are due at an instant. */
    RowFilter notDueAt(@Nullable Instant at) {
        return new RowFilter(handler, state, id, prefix, words, failedUntil, dueFrom, at);
    }

    /** Whether it looks into errors. */
    boolean isOfErrors() {
        return !words.isEmpty();
    }

    /** Whether it looks among what nodes have claimed. */
    boolean isOfClaimed() {
        return state == DurableTask.State.CLAIMED;
    }

    /** The state as rows have it; -1 for all. */
    int rowState() {
        return isOfErrors() ? RowState.FAILED : state == null ? -1 : RowState.of(state);
    }

    /** Whether rows are read that do not match, beside what is a range of an index. */
    boolean isSelective() {
        return prefix != null || id != null || failedUntil != null || notDueAt != null || isOfErrors() || state == null;
    }
}
