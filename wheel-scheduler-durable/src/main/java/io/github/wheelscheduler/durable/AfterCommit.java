package io.github.wheelscheduler.durable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Takes a step once the transaction of Spring's that the caller is in has committed, or at once if there is none. Any thread. */
final class AfterCommit implements Runnable {

    private final Runnable step;

    AfterCommit(Runnable step) {
        this.step = step;
    }

    @Override
    public void run() {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    step.run();
                }
            });
        } else {
            step.run();
        }
    }
}
