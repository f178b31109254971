package io.github.wheelscheduler.durable.internal.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Does something once the transaction of a thread is committed, unless it was rolled back to a savepoint before. */
public final class AfterCommit implements TransactionSynchronization {

    private final Runnable committed;
    private final Consumer<String> undone;

    /** The savepoints that have been made since. Each transaction is used by one thread at a time. */
    private final List<Object> later = new ArrayList<>();

    private boolean isRolledBack;

    private AfterCommit(Runnable committed, Consumer<String> undone) {
        this.committed = committed;
        this.undone = undone;
    }

    /**
     * Does something after the commit; at once without a transaction.
     *
     * @param committed what to do
     * @param undone is given the reason if there is no commit
     */
    public static void run(Runnable committed, Consumer<String> undone) {
        if (TransactionSynchronizationManager.isSynchronizationActive()
                && TransactionSynchronizationManager.isActualTransactionActive()) {
            TransactionSynchronizationManager.registerSynchronization(new AfterCommit(committed, undone));
        } else {
            committed.run();
        }
    }

    @Override
    public void savepoint(Object savepoint) {
        boolean ignored = later.add(savepoint);
    }

    @Override
    public void savepointRollback(Object savepoint) {
        // Of a savepoint that was made before this, this has not been told.
        isRolledBack |= later.stream().noneMatch(known -> known == savepoint);
    }

    @Override
    public void afterCompletion(int status) {
        if (isRolledBack || status == STATUS_ROLLED_BACK) {
            undone.accept("its transaction was rolled back");
        } else if (status == STATUS_COMMITTED) {
            committed.run();
        } else {
            undone.accept("the outcome of its transaction is unknown");
        }
    }
}
