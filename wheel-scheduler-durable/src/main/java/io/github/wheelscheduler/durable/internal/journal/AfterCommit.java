package io.github.wheelscheduler.durable.internal.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Does something once the transaction of a thread is committed, unless it was rolled back to a savepoint before. One
 * for each transaction, which is used by one thread at a time.
 */
public final class AfterCommit implements TransactionSynchronization {

    /** The reason that is known for sure. */
    public static final String ROLLED_BACK = "its transaction was rolled back";

    /** Actions and savepoints, in the order in which they came. */
    private final List<Object> all = new ArrayList<>();

    private AfterCommit() {}

    private static final class Action {

        private final Runnable committed;
        private final Consumer<String> undone;
        private boolean isRolledBack;

        Action(Runnable committed, Consumer<String> undone) {
            this.committed = committed;
            this.undone = undone;
        }

        void end(int status) {
            if (isRolledBack || status == STATUS_ROLLED_BACK) {
                undone.accept(ROLLED_BACK);
            } else if (status == STATUS_COMMITTED) {
                committed.run();
            } else {
                undone.accept("the outcome of its transaction is unknown");
            }
        }
    }

    /**
     * Does something after the commit; at once without a transaction. Neither action may throw.
     *
     * @param committed the action for a commit
     * @param undone receives the reason if there is no commit
     */
    public static void run(Runnable committed, Consumer<String> undone) {
        if (TransactionSynchronizationManager.isSynchronizationActive()
                && TransactionSynchronizationManager.isActualTransactionActive()) {
            boolean ignored = ofTransaction().all.add(new Action(committed, undone));
        } else {
            committed.run();
        }
    }

    private static AfterCommit ofTransaction() {
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            if (each instanceof AfterCommit known) {
                return known;
            }
        }
        AfterCommit made = new AfterCommit();
        TransactionSynchronizationManager.registerSynchronization(made);
        return made;
    }

    @Override
    public void savepoint(Object savepoint) {
        boolean ignored = all.add(savepoint);
    }

    /** A savepoint that is unknown was made before the first action. */
    @Override
    public void savepointRollback(Object savepoint) {
        for (int i = all.size() - 1; i >= 0 && all.get(i) != savepoint; i--) {
            if (all.get(i) instanceof Action action) {
                action.isRolledBack = true;
            }
        }
    }

    /** One that throws, as without memory, keeps no other from its end; Spring logs the first exception. */
    @Override
    public void afterCompletion(int status) {
        Throwable first = null;
        for (Object each : all) {
            if (each instanceof Action action) {
                try {
                    action.end(status);
                } catch (Throwable ex) {
                    first = first == null ? ex : first;
                }
            }
        }
        if (first instanceof Error error) {
            throw error;
        }
        if (first instanceof RuntimeException failure) {
            throw failure;
        }
    }
}
