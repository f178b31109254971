package io.github.wheelscheduler.durable.internal;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A row that a node has claimed.
 *
 * @param payload null if it was too long to come with the claim
 * @param format as the column has it; null where the payload says it, or nobody does
 * @param dueAt when it is due, by the database's clock
 * @param firstDueAt when it was due at first, before retries
 * @param failures how many runs have failed in a row
 * @param lastSuccessAt when the last run ended that did not fail; null if none has
 * @param lastFailureAt when the last run failed; null if none has
 * @param unreadable how often in a row it could not be read
 * @param suspicions how many nodes in a row died that had claimed it
 * @param deaths how many of these died while it ran alone as a suspect
 * @param earlierAttempts how many runs have failed before it was last retried by hand
 * @param retries what it has in place of its handler's
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares rows
record TaskRow(
        RowKey key,
        byte @Nullable [] payload,
        @Nullable String format,
        Instant dueAt,
        Instant firstDueAt,
        int failures,
        @Nullable Instant lastSuccessAt,
        @Nullable Instant lastFailureAt,
        int unreadable,
        int suspicions,
        int deaths,
        int earlierAttempts,
        OwnRetries retries) {

    /** From so many on, the task may have killed the nodes: it runs with a mark, and one such task at a time on a node. */
    static final int SUSPECT = 2;

    /** Returns which attempt its next run is. */
    int attempt() {
        return Runs.oneMore((int) Math.min(Integer.MAX_VALUE, (long) earlierAttempts + failures));
    }

    boolean isSuspect() {
        return suspicions >= SUSPECT;
    }

    /** As {@link Dialect#COLUMNS} have it. */
    static TaskRow read(ResultSet row, Dialect dialect) throws SQLException {
        Instant dueAt = dialect.dueAt(row);
        return new TaskRow(
                RowKey.read(row, 0),
                row.getBytes("task_data"),
                row.getString("format"),
                dueAt,
                Objects.requireNonNullElse(dialect.instant(row, "first_time"), dueAt),
                row.getInt("consecutive_failures"),
                dialect.instant(row, "last_success"),
                dialect.instant(row, "last_failure"),
                row.getInt("unreadable"),
                row.getInt("suspicions"),
                row.getInt("deaths"),
                row.getInt("earlier_attempts"),
                OwnRetries.read(row));
    }

    private TaskRow with(RowKey newKey, Instant newDueAt) {
        return new TaskRow(
                newKey,
                payload,
                format,
                newDueAt,
                firstDueAt,
                failures,
                lastSuccessAt,
                lastFailureAt,
                unreadable,
                suspicions,
                deaths,
                earlierAttempts,
                retries);
    }

    /** Returns it as it is once it has been changed. */
    TaskRow withNextVersion() {
        return with(new RowKey(key.handler(), key.id(), key.version() % Long.MAX_VALUE + 1), dueAt);
    }

    /** Returns it as one that is due by then. */
    TaskRow dueBy(Instant time) {
        return dueAt.isAfter(time) ? with(key, time) : this;
    }

    /** Without the payload, which may be secret. */
    @Override
    public String toString() {
        return key.handler().equals(Handler.RECURRING) ? key.handlerName() : key.handler() + " " + key.id();
    }
}
