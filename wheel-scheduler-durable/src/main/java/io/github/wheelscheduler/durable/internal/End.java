package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.DurableEnd;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How a run has ended.
 *
 * @param tell tells the database; false if the row is not this node's any more
 * @param notice the end that listeners receive after the commit; null for none
 * @param attempt how often the database may have been told of it in vain
 * @param waits how often its row was locked
 * @param refusals how often the database has refused it, first in a batch and then alone
 */
record End(
        Claim claim,
        Kind kind,
        BooleanSupplier tell,
        @Nullable DurableEnd notice,
        int attempt,
        int waits,
        int refusals) {

    /** What is told of a run. */
    enum Kind {
        /** Its row is to be deleted, unless something is to follow it. */
        DONE,
        /** Its row is to be changed, once it is locked. */
        CHANGE,
        /** The database is asked how it has ended; that may find out that its row is not this node's any more. */
        ASK
    }

    static End of(Claim claim, Kind kind, BooleanSupplier tell) {
        return of(claim, kind, tell, null);
    }

    static End of(Claim claim, Kind kind, BooleanSupplier tell, @Nullable DurableEnd notice) {
        return new End(claim, kind, tell, notice, 0, 0, 0);
    }

    End again() {
        return new End(claim, kind, tell, notice, attempt + 1, waits, refusals);
    }

    End refused(int times) {
        return new End(claim, kind, tell, notice, attempt + 1, waits, times);
    }

    /** One that may be refused goes into no batch. */
    boolean isAlone() {
        return refusals > 0;
    }

    boolean isRefusedAlone() {
        return refusals > 1;
    }

    /** One that was to be deleted may have something that follows. */
    End locked() {
        return new End(claim, kind == Kind.DONE ? Kind.CHANGE : kind, tell, notice, attempt, waits + 1, refusals);
    }

    RowKey key() {
        return claim.key();
    }
}
