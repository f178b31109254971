package io.github.wheelscheduler.history;

import io.github.wheelscheduler.history.internal.HistoryStore;
import io.github.wheelscheduler.history.internal.RowReads;
import io.github.wheelscheduler.history.internal.TotalReads;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the history of all nodes. Rows of this second may not be there yet, and runs without a row are counted within
 * a minute. All methods may be called from any thread; they throw a
 * {@link org.springframework.dao.DataAccessException} if the database does not answer, and a
 * {@link HistoryUnavailableException} if its tables are not there.
 */
public final class RunHistoryReader {

    private final RowReads rows;
    private final TotalReads totals;

    /** Only the history makes one. */
    RunHistoryReader(HistoryStore store) {
        this.rows = new RowReads(store);
        this.totals = new TotalReads(store);
    }

    /**
     * Returns a page of rows, the newest first.
     *
     * @throws IllegalArgumentException if the cursor is none
     */
    public HistoryPage page(HistoryQuery query) {
        return rows.page(query);
    }

    /**
     * Returns the totals of hours that begin in a range, with the one that is open.
     *
     * @param task the id of a task, or a handler; null for all
     */
    public List<HourTotal> hours(@Nullable String task, Instant from, Instant to) {
        return totals.hours(task, from, to);
    }

    /**
     * Returns the sums of hours that begin in a range, with the one that is open. Hours without runs are left out.
     *
     * @param task the id of a task, or a handler; null for all
     */
    public List<HourSum> sums(@Nullable String task, Instant from, Instant to) {
        return totals.sums(task, from, to);
    }

    /** Returns the totals of days of UTC that begin in a range, without hours that are open. */
    public List<HourTotal> days(@Nullable String task, Instant from, Instant to) {
        return totals.days(task, from, to);
    }

    /** Returns what is known of a task. */
    public TaskSummary summary(String task) {
        return totals.summary(task);
    }

    /** Returns the same of tasks, by their ids, without those of which nothing is known. */
    public Map<String, TaskSummary> summaries(Collection<String> tasks) {
        return totals.summaries(tasks);
    }

    /**
     * Returns the 200 most frequent kinds of failures in a range, the most frequent first; of all tasks without their
     * traces.
     *
     * @param task the id of a task, or a handler; null for all
     * @param from begins the range, at the start of its hour
     */
    public List<FailureKind> failures(@Nullable String task, Instant from, Instant to) {
        return totals.failures(task, from, to);
    }

    /** Returns the stack trace of a kind of failures, without messages; null if it is not there. */
    public @Nullable String trace(String task, String kind) {
        return totals.trace(task, kind);
    }

    /**
     * Returns a page of the audit, the newest entry first.
     *
     * @throws IllegalArgumentException if the cursor is none
     */
    public AuditPage audit(AuditQuery query) {
        return rows.audit(query);
    }
}
