package io.github.wheelscheduler.durable.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

class AfterCommitTest {

    private final List<String> told = new ArrayList<>();

    @BeforeEach
    void begin() {
        TransactionSynchronizationManager.initSynchronization();
        TransactionSynchronizationManager.setActualTransactionActive(true);
    }

    @AfterEach
    void clear() {
        TransactionSynchronizationManager.clear();
    }

    private void act(String name) {
        AfterCommit.run(() -> told.add(name), why -> told.add(name + ": " + why));
    }

    private static void savepoint(Object savepoint) {
        TransactionSynchronizationManager.getSynchronizations().forEach(each -> each.savepoint(savepoint));
    }

    private static void rollBackTo(Object savepoint) {
        TransactionSynchronizationManager.getSynchronizations().forEach(each -> each.savepointRollback(savepoint));
    }

    @Test
    void actionsAfterASavepointGoWithIt() {
        act("a");
        savepoint("outer");
        act("b");
        savepoint("inner");
        act("c");
        rollBackTo("inner");
        act("d");
        rollBackTo("outer");
        act("e");
        assertThat(told).isEmpty();

        TransactionSynchronizationUtils.triggerAfterCompletion(TransactionSynchronization.STATUS_COMMITTED);

        assertThat(told)
                .containsExactly(
                        "a",
                        "b: its transaction was rolled back",
                        "c: its transaction was rolled back",
                        "d: its transaction was rolled back",
                        "e");
    }

    @Test
    void savepointBeforeTheFirstActionTakesAll() {
        savepoint("unseen");
        act("a");
        savepoint("inner");
        act("b");
        rollBackTo("unseen");

        TransactionSynchronizationUtils.triggerAfterCompletion(TransactionSynchronization.STATUS_COMMITTED);

        assertThat(told).containsExactly("a: its transaction was rolled back", "b: its transaction was rolled back");
    }

    @Test
    void transactionHasOneForAllActions() {
        for (int i = 0; i < 10_000; i++) {
            act("a");
            savepoint(i);
        }
        assertThat(TransactionSynchronizationManager.getSynchronizations()).hasSize(1);

        TransactionSynchronizationUtils.triggerAfterCompletion(TransactionSynchronization.STATUS_UNKNOWN);

        assertThat(told).hasSize(10_000).containsOnly("a: the outcome of its transaction is unknown");
    }

    @Test
    void actionThatThrowsKeepsNoOtherFromItsEnd() {
        act("a");
        AfterCommit.run(
                () -> {
                    throw new OutOfMemoryError("on purpose");
                },
                why -> {});
        act("b");

        TransactionSynchronizationUtils.triggerAfterCompletion(TransactionSynchronization.STATUS_COMMITTED);

        assertThat(told).containsExactly("a", "b");
    }
}
