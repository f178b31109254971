package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import io.github.wheelscheduler.durable.internal.RowEnd.Kind;
import io.github.wheelscheduler.durable.internal.Runs.Outcome;
import io.github.wheelscheduler.durable.internal.journal.StatementRows;
import io.github.wheelscheduler.internal.spring.run.ThrownLog;
import io.github.wheelscheduler.jdbc.internal.DatabaseErrors;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/**
 * The transaction of a run, in which its row is deleted or waits again. If the answer to its commit is lost, the row
 * tells the outcome. Used by the thread of the run; later by one thread after another.
 */
final class RunTransaction {

    /**
     * The length of a run that is not rolled back because of the row of a history. A shorter one is: a savepoint would
     * cost each run more than that.
     */
    private static final long LONG_RUN_NANOS = 1_000_000_000;

    private final Runs runs;
    private final PlatformTransactionManager manager;
    private final Claim claim;
    private final Handler<?> handler;
    private final long startNanos;

    private @Nullable TransactionStatus status;

    private boolean isCommitSent;

    /** Whether the database has refused the end of the row outside of the transaction, too. */
    private boolean isRefusedAlone;

    /** Whether the database has not answered when that end was written. */
    private boolean isEndUnanswered;

    /** Whether only the history has refused the end. */
    private boolean isRefusedByHistory;

    /** Whether its row was gone, so that there is nothing to write. */
    private boolean isGone;

    /** The end of its row, once that is known. */
    private @Nullable RowEnd known;

    RunTransaction(Runs runs, PlatformTransactionManager manager, Claim claim, Handler<?> handler, long startNanos) {
        this.runs = runs;
        this.manager = manager;
        this.claim = claim;
        this.handler = handler;
        this.startNanos = startNanos;
    }

    void begin() {
        DefaultTransactionDefinition definition =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        definition.setName(handler.name());
        status = manager.getTransaction(definition);
        if (!runs.tables.sql().isReachedBy(manager)) {
            throw new IllegalStateException(
                    "The transaction of a run must be on the DataSource of the durable tasks, but that of " + manager
                            + " is not");
        }
    }

    /** Whether it could not begin, as there was no connection. */
    boolean isRefused(Throwable ex) {
        return status == null && (ex instanceof CannotCreateTransactionException || DatabaseErrors.isOfDatabase(ex));
    }

    void requireNoRollback() {
        if (Objects.requireNonNull(status).isRollbackOnly()) {
            throw new UnexpectedRollbackException("The run has marked its transaction for rollback, so it has failed");
        }
    }

    /** If that fails as well, the database does it when it finds the connection broken. */
    void rollBack() {
        Runs.clearInterrupt();
        if (status != null && !status.isCompleted()) {
            try {
                manager.rollback(status);
            } catch (Throwable ex) {
                ThrownLog.debug(
                        LOGGER,
                        "The transaction of the durable task " + claim
                                + " could not be rolled back; the database does so when its connection ends",
                        ex);
            }
        }
    }

    /** Ends the row with the transaction. */
    Outcome end(RowEnd end) {
        Runs.clearInterrupt();
        StatementRows rows = runs.context.listeners().notes().rows();
        List<RowKey> key = List.of(claim.key());
        try {
            if (end.mayRunAgain()) {
                runs.tables.ends().lock(claim.key());
                runs.tables.ends().learnWhatIsAsked(List.of(claim));
            }
            boolean isOurs = end.write().getAsBoolean();
            if (!isOurs) {
                rollBack();
                lost("its transaction is rolled back");
                return told(false);
            }
            runs.context.note(rows, claim, end.notice());
            if (claim.lengthNanos > LONG_RUN_NANOS) {
                rows.insertOrLeave(runs.tables.sql(), claim.key());
            } else {
                rows.insert(runs.tables.sql(), key);
            }
            isCommitSent = true;
            manager.commit(Objects.requireNonNull(status));
        } catch (Throwable ex) {
            claim.failure = ex;
            claim.isUnanswered = isCommitSent && DatabaseErrors.isOfConnection(ex);
            isRefusedByHistory = rows.isRefused(ex);
            if (isRefusedByHistory) {
                rows.refuse(ex);
            } else if (isCommitSent) {
                rows.answered(key);
            }
            rollBack();
            RowEnd unknown = new RowEnd(Kind.ASK, () -> writeWhatIsSeen(end, ex), null, null);
            return new Outcome(true, false, PendingEnd.of(claim, unknown), false);
        }
        rows.answered(key);
        boolean ignored = runs.announced(claim, end.dueAt(), true);
        runs.context.ended(claim, end.notice());
        return told(end.hasSucceeded());
    }

    private Outcome told(boolean hasSucceeded) {
        runs.context.claimedTasks().forget(claim);
        return new Outcome(true, hasSucceeded, null, true);
    }

    private void lost(String what) {
        runs.context.tally().lost.incrementAndGet();
        LOGGER.warn("The durable task " + claim.withTrace()
                + " has run here, but was taken over by another node meanwhile: " + what
                + ". Look for long pauses of this process");
    }

    private boolean writeWhatIsSeen(RowEnd end, Throwable ex) {
        RowEnd seen = known;
        if (seen == null) {
            try {
                seen = whatIsSeen(end, ex);
            } catch (Throwable again) {
                isRefusedAlone |= DatabaseErrors.isRefusal(again);
                throw again;
            }
            known = seen;
        }
        boolean isOurs;
        try {
            isOurs = isGone ? seen.write().getAsBoolean() : writeNoted(seen);
        } catch (Throwable again) {
            isEndUnanswered |= DatabaseErrors.isOfConnection(again);
            throw again;
        }
        // Nobody else could have changed the row while this node lives.
        if (isOurs || (isEndUnanswered && runs.tables.nodes().isAlive(claim.owner()))) {
            runs.context.ended(claim, seen.notice());
        }
        return isOurs;
    }

    /** Writes an end, and the row of a history with it. */
    private boolean writeNoted(RowEnd seen) {
        StatementRows rows = runs.context.listeners().notes().rows();
        List<RowKey> key = List.of(claim.key());
        boolean isOurs = rows.send(() -> {
            if (!rows.areTaken()) {
                return seen.write().getAsBoolean();
            }
            runs.context.note(rows, claim, seen.notice());
            return runs.tables.sql().inTransaction(() -> {
                boolean isWritten = seen.write().getAsBoolean();
                rows.insert(runs.tables.sql(), isWritten ? key : List.of());
                return isWritten;
            });
        });
        rows.answered(isOurs ? key : List.of());
        return isOurs;
    }

    private RowEnd whatIsSeen(RowEnd end, Throwable ex) {
        switch (runs.tables.ends().traceOf(claim.key())) {
            case LOCKED ->
                throw new CannotAcquireLockException(
                        "The durable task " + claim + " is locked, so its transaction may still be going on", ex);
            case OURS -> {
                // Its end is another one.
                claim.noted = null;
                boolean isOfDatabase = isRefusedByHistory || isRefusedByDatabase(end, ex);
                runs.tellEnded(handler, startNanos, false);
                if (claim.isAskedToEnd) {
                    return runs.cancelled(claim);
                }
                if (isOfDatabase) {
                    LOGGER.info("The durable task " + claim.withTrace()
                            + " has run, but the database failed to commit it: it is rolled back, and runs again");
                    return RowEnd.withoutRun(runs.givenBack(claim));
                }
                return runs.afterFailure(claim, claim.withTrace(), handler, ex);
            }
            case GONE -> {
                isGone = true;
                boolean isCommitted = isCommitSent && runs.tables.nodes().isAlive(claim.owner());
                if (!isCommitted) {
                    claim.noted = null;
                    lost("the outcome of its commit is unknown, so it may run, or have run, twice");
                }
                runs.tellEnded(handler, startNanos, isCommitted && end.hasSucceeded());
                return new RowEnd(Kind.CHANGE, () -> true, null, isCommitted ? end.notice() : null);
            }
        }
        throw new IllegalStateException();
    }

    /**
     * Whether the end was refused for the database's sake: not in the transaction of the run alone, which a run may
     * have made read-only.
     */
    private boolean isRefusedByDatabase(RowEnd end, Throwable ex) {
        if (!DatabaseErrors.isRefusal(ex)) {
            return false;
        }
        runs.tables.sql().tryInVain(() -> {
            boolean ignored = end.write().getAsBoolean();
        });
        return isRefusedAlone;
    }
}
