package io.github.wheelscheduler.durable.internal.operator;

import io.github.wheelscheduler.durable.DurableTask;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a search. Failures are cut after {@link RowSearch#ERROR_LENGTH} characters.
 *
 * @param after where the next page begins; null if there is none
 * @param isCut whether the search has read as many rows as it may, so that tasks that match may follow, or are left out
 */
public record FoundTasks(List<DurableTask> tasks, @Nullable String after, boolean isCut) {

    /**
     * The number of tasks that match.
     *
     * @param matching up to {@link RowSearch#MOST_READ}
     * @param isMore whether there may be more than that
     */
    public record Count(int matching, boolean isMore) {}
}
