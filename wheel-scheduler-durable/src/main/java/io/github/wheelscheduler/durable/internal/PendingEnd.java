package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.internal.RowEnd.Kind;

/**
 * An end that the database does not have yet. Immutable.
 *
 * @param kind that of the end, until its row is found locked
 * @param attempt the number of failed attempts to send it
 * @param waits the number of times that the row was locked
 * @param refusals the number of times that the database has refused the statement, first in a batch and then alone
 */
record PendingEnd(Claim claim, Kind kind, RowEnd end, int attempt, int waits, int refusals) {

    static PendingEnd of(Claim claim, RowEnd end) {
        return new PendingEnd(claim, end.kind(), end, 0, 0, 0);
    }

    PendingEnd again() {
        return new PendingEnd(claim, kind, end, attempt + 1, waits, refusals);
    }

    PendingEnd refused(int times) {
        return new PendingEnd(claim, kind, end, attempt + 1, waits, times);
    }

    /** One that may be refused goes into no batch. */
    boolean isAlone() {
        return refusals > 0;
    }

    boolean isRefusedAlone() {
        return refusals > 1;
    }

    /** A row that was to be deleted may have a next run by now. */
    PendingEnd locked() {
        return new PendingEnd(claim, kind == Kind.DONE ? Kind.CHANGE : kind, end, attempt, waits + 1, refusals);
    }

    RowKey key() {
        return claim.key();
    }
}
