package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.Recurrence;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.MadeTable.After;
import io.github.wheelscheduler.durable.internal.RecurringTable.RunEnd;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Gives recurring tasks their next run. Workers. */
record NextRuns(Context context, Tables tables) {

    private static final int MOST_MISSED = 10_000;

    /**
     * Returns how many runs are left out of which the first is too late, as far as the schedule of this node says that.
     *
     * @param recurrence as above; null if the task is made at run time
     */
    long missed(Claim claim, @Nullable Recurrence recurrence, Instant now) {
        TaskRow row = claim.row();
        long runs = 1;
        try {
            Recurrence schedule = row.made() == null
                    ? Objects.requireNonNull(recurrence)
                    : RecurringTable.parse(row.made().schedule());
            Instant next = schedule.next(row.dueAt(), row.dueAt());
            while (next != null && !next.isAfter(now) && runs < MOST_MISSED) {
                runs++;
                next = schedule.next(next, next);
            }
        } catch (RuntimeException ex) {
            // A schedule of a user's; one run was left out at least.
            Context.LOGGER.debug(
                    "The missed runs of the durable task " + claim + " could not be counted, as its schedule failed",
                    ex);
        }
        return runs;
    }

    /**
     * Returns the statements that let the row of a recurring task wait for its next run; false if it is not this
     * node's any more.
     *
     * @param recurrence as the method of this node declares it; null if the task is made at run time
     * @param failure the text that is kept of the failure of the run; null if it has not failed
     * @param hasRun false if it was left out
     */
    BooleanSupplier after(Claim claim, @Nullable Recurrence recurrence, @Nullable String failure, boolean hasRun) {
        Instant now = context.clock().now();
        TaskRow row = claim.row();
        boolean succeeded = hasRun && failure == null;
        RunEnd end = new RunEnd(
                now,
                hasRun,
                succeeded ? now : row.lastSuccessAt(),
                succeeded ? 0 : hasRun ? Runs.oneMore(row.allFailures()) : row.allFailures(),
                failure == null ? row.lastFailureAt() : now,
                failure);
        return row.made() == null
                ? () -> tables.recurring().again(row.key(), Objects.requireNonNull(recurrence), row.dueAt(), end)
                : () -> wait(claim, end);
    }

    private boolean wait(Claim claim, RunEnd end) {
        After after = tables.made().over(claim.key(), end);
        if (after.next() != null) {
            context.announcer().due(claim.handlerName(), List.of(after.next()));
        }
        return after.isOurs();
    }
}
