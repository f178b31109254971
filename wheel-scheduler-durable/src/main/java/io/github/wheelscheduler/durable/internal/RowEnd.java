package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.DurableEnd;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The change of a row that ends a run. Immutable.
 *
 * @param write sends the statement; returns false if the row is not this node's any more
 * @param dueAt when a run has set the next due time of its own task; null if it has not
 * @param notice the end that counters and listeners receive after the commit; null if no end of a run is committed
 */
record RowEnd(
        Kind kind,
        BooleanSupplier write,
        @Nullable Instant dueAt,
        @Nullable DurableEnd notice) {

    /** Which statement ends the run. */
    enum Kind {
        /** The row is deleted, together with others, unless a next run has been set meanwhile. */
        DONE,
        /** The row is locked, then changed. */
        CHANGE,
        /** The outcome of a commit is unknown: the row is read first. The row may prove to be another node's. */
        ASK
    }

    /** Whether the run has succeeded, or lets its task run again. */
    boolean hasSucceeded() {
        return notice != null && notice.kind() != DurableEnd.Kind.GIVEN_UP && notice.thrown() == null;
    }

    /** Whether the task continues after this end, unless a cancel has reached its row. */
    boolean mayRunAgain() {
        return notice != null && keepsRow(notice) && notice.kind() != DurableEnd.Kind.CANCELLED;
    }

    /** Whether the row stays after such an end, unless a cancel has reached it. */
    static boolean keepsRow(DurableEnd end) {
        return end.kind() != DurableEnd.Kind.DONE || end.nextAt() != null;
    }

    /** A change that is no end of a run, such as giving the row back. */
    static RowEnd withoutRun(BooleanSupplier write) {
        return new RowEnd(Kind.CHANGE, write, null, null);
    }

    /** The change of a row whose run has failed or has been cancelled. */
    static RowEnd changed(BooleanSupplier write, DurableEnd notice) {
        return new RowEnd(Kind.CHANGE, write, null, notice);
    }
}
