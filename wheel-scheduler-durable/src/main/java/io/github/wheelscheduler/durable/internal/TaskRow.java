package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.internal.row.MadeSchedule;
import io.github.wheelscheduler.durable.internal.row.OwnRetries;
import io.github.wheelscheduler.durable.internal.trace.RowOrigin;
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
 * @param dueAt the time at which it is due, by the database's clock
 * @param firstDueAt the time at which it was due at first, before retries
 * @param failures the number of consecutive failed runs
 * @param lastSuccessAt the time at which the last run ended that did not fail; null if none has
 * @param lastFailureAt the time of the last failed run; null if none has failed
 * @param unreadable the number of consecutive failed attempts to read it
 * @param suspicions the number of consecutive nodes that died while they held it
 * @param deaths the number of these that died while it ran alone as a suspect
 * @param earlierAttempts the number of runs that failed before it was last retried by hand
 * @param retries its retries in place of its handler's
 * @param made the columns of a recurring task that was made at run time; null for any other
 * @param origin the spans that have led to its run; null where rows keep none
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
        OwnRetries retries,
        @Nullable Made made,
        @Nullable RowOrigin origin) {

    /**
     * From so many on, the task may have killed the nodes: it runs with a mark, and one such task at a time on a node.
     */
    static final int SUSPECT = 2;

    /**
     * The columns of a recurring task that was made at run time.
     *
     * @param handler the handler that runs it
     * @param schedule the one that counts
     * @param skipsMissed whether a run that is much too late is left out
     */
    record Made(String handler, String schedule, boolean skipsMissed) {

        /** Before the name of a handler, what a look calls such tasks of it: no name has this character. */
        static final String MARK = "\0";
    }

    /** Returns which attempt its next run is; each run of a recurring task begins with the first. */
    int attempt() {
        return Runs.oneMore(made == null ? allFailures() : failures);
    }

    /** Returns how many runs have failed in a row, those before a retry by hand, or of former times, among them. */
    int allFailures() {
        return (int) Math.min(Integer.MAX_VALUE, (long) earlierAttempts + failures);
    }

    /** Returns the name by which a node knows its handler. */
    String handlerName() {
        return made == null ? key.handlerName() : made.handler;
    }

    /** Returns the name by which a look counts it. */
    String lookName() {
        return made == null ? key.handlerName() : Made.MARK + made.handler;
    }

    boolean leavesOut(Handler<?> handler, Instant now) {
        return made == null ? handler.leavesOut(dueAt, now) : made.skipsMissed && Handler.isTooLate(dueAt, now);
    }

    boolean isRecurring() {
        return made != null || key.handler().equals(Handler.RECURRING);
    }

    boolean isSuspect() {
        return suspicions >= SUSPECT;
    }

    /** As {@link Dialect#COLUMNS} have it. */
    static TaskRow read(ResultSet row, Dialect dialect, RowOrigin.Columns origin) throws SQLException {
        return read(row, dialect, null, origin);
    }

    /** The same with {@link Dialect#MADE_COLUMNS}. */
    static TaskRow readMade(ResultSet row, Dialect dialect, RowOrigin.Columns origin) throws SQLException {
        MadeSchedule declared = MadeSchedule.read(row.getString("declared"));
        String schedule = Objects.requireNonNullElse(row.getString("schedule"), declared.schedule());
        return read(
                row,
                dialect,
                new Made(Handler.known(row.getString("made_for")), schedule, declared.skipsMissed()),
                origin);
    }

    private static TaskRow read(ResultSet row, Dialect dialect, @Nullable Made made, RowOrigin.Columns origin)
            throws SQLException {
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
                OwnRetries.read(row),
                made,
                origin.read(row));
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
                retries,
                made,
                origin);
    }

    /** Returns it as it is once it has been changed. */
    TaskRow withNextVersion() {
        return with(new RowKey(key.handler(), key.id(), key.version() % Long.MAX_VALUE + 1), dueAt);
    }

    /** Returns it with another due time. */
    TaskRow dueBy(Instant time) {
        return dueAt.isAfter(time) ? with(key, time) : this;
    }

    /** Without the payload, which may be secret. */
    @Override
    public String toString() {
        return key.handler().equals(Handler.RECURRING) ? key.handlerName() : handlerName() + " " + key.id();
    }
}
