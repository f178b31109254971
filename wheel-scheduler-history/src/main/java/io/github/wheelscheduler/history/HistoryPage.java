package io.github.wheelscheduler.history;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of the history, the newest row first.
 *
 * @param rows the rows; fewer than the limit also where the search has read as many rows as it may
 * @param next the cursor of the next page; null if there is none
 * @param read the number of rows that have been read
 * @param readTo the time of the last row that was read, if the search ended because it had read as many as it may; else
 *     null
 */
public record HistoryPage(
        List<HistoryRow> rows,
        @Nullable String next,
        int read,
        @Nullable Instant readTo) {

    /** The maximum number of rows that a search for a node or a text reads for a page. */
    public static final int MOST_READ = 10_000;
}
