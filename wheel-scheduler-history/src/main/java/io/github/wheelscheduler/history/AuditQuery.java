package io.github.wheelscheduler.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Selects entries of the audit. Start from {@link #ALL}.
 *
 * @param from the first time; null for the oldest entry
 * @param to the time behind the last one; null for now
 * @param task the id of a task, or a handler; null for all
 * @param who the user who steered; null for all
 * @param before the cursor of the page before; null for the first page
 * @param limit the maximum number of entries on a page, 1 to 1,000
 */
public record AuditQuery(
        @Nullable Instant from,
        @Nullable Instant to,
        @Nullable String task,
        @Nullable String who,
        @Nullable String before,
        int limit) {

    private static final int USUAL_ROWS = 50;

    /** All entries, the newest first, 50 on a page. */
    public static final AuditQuery ALL = new AuditQuery(null, null, null, null, null, USUAL_ROWS);

    /** @throws IllegalArgumentException if the limit is out of range */
    public AuditQuery {
        if (limit < 1 || limit > HistoryQuery.MOST_ROWS) {
            throw new IllegalArgumentException("limit must be 1 to " + HistoryQuery.MOST_ROWS + ", was " + limit);
        }
    }

    /** Returns the same between two times. */
    public AuditQuery between(@Nullable Instant first, @Nullable Instant end) {
        return new AuditQuery(first, end, task, who, before, limit);
    }

    /** Returns the same of one task. */
    public AuditQuery ofTask(String id) {
        return new AuditQuery(from, to, id, who, before, limit);
    }

    /** Returns the same of one person. */
    public AuditQuery by(String name) {
        return new AuditQuery(from, to, task, name, before, limit);
    }

    /** Returns the page that follows a cursor. */
    public AuditQuery after(@Nullable String cursor) {
        return new AuditQuery(from, to, task, who, cursor, limit);
    }

    /** Returns the same with other pages. */
    public AuditQuery limit(int entries) {
        return new AuditQuery(from, to, task, who, before, entries);
    }
}
