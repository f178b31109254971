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

    /**
     * Returns the statements that let the row of a recurring task wait for its next run; false if it is not this
     * node's any more.
     *
     * @param recurrence as the method of this node declares it; null if the task is made at run time
     * @param failure what is kept of the run that has failed; null if it has not
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
