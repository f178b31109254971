package io.github.wheelscheduler.durable.internal;

import io.github.wheelscheduler.durable.DurableSettings;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Starts rows in time that this node has scheduled, moved or released. Any thread. */
final class SoonDueRows {

    private final DurableNode node;
    private final Context context;
    private final DurableSettings settings;

    /** The number of due rows that are left to this node and not polled for yet. */
    final AtomicInteger promised = new AtomicInteger();

    SoonDueRows(DurableNode node, Context context) {
        this.node = node;
        this.context = context;
        this.settings = context.settings();
    }

    /**
     * After the commit of the caller's transaction, or now if there is none, this node polls for rows that are due
     * soon. It notifies others of rows that are due before their next poll and not started here.
     *
     * @param name of the handler, as this node knows it
     * @param times when they are due
     */
    void due(String name, List<Instant> times) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            new AfterCommit().add(name, times).run();
        } else if (TransactionSynchronizationManager.getResource(this) instanceof AfterCommit known) {
            known.add(name, times);
        } else {
            AfterCommit made = new AfterCommit().add(name, times);
            made.resume();
            TransactionSynchronizationManager.registerSynchronization(made);
        }
    }

    /** The due rows of a handler: how many soon after the note, and the earliest of all. */
    private record Due(int soon, Instant earliest) {

        private Due with(Due other) {
            return new Due(soon + other.soon, earliest.isBefore(other.earliest) ? earliest : other.earliest);
        }
    }

    /** The rows that a transaction has scheduled. One thread. */
    private final class AfterCommit implements TransactionSynchronization {

        private final Map<String, Due> byName = new HashMap<>();

        private AfterCommit add(String name, List<Instant> times) {
            Instant soon = node.now().plus(Claiming.lookEvery(settings));
            for (Instant time : times) {
                byName.merge(name, new Due(time.isAfter(soon) ? 0 : 1, time), Due::with);
            }
            return this;
        }

        private void run() {
            Instant now = node.now();
            byName.forEach((name, due) -> {
                boolean isKnown = context.handlers().find(name) != null;
                boolean isOld = due.earliest().isBefore(now.minus(ScanStart.SLACK));
                if (isOld) {
                    node.lookAtAllSoon(isKnown);
                }
                if (isKnown && !due.earliest().isAfter(now.plus(settings.claimAhead()))) {
                    node.lookSoon();
                }
                if (!due.earliest().isAfter(now.plus(Claiming.lookEvery(settings)))
                        && !(isKnown && promises(name, Math.max(1, due.soon()), now))) {
                    context.notifications().tell(Notifications.LOOK, isOld ? Notifications.OLD : "");
                }
            });
        }

        /** Whether this node starts that many. */
        private boolean promises(String name, int count, Instant now) {
            return node.mayClaim()
                    && context.claimedTasks().free(name, now, context.workers().nanoTime())
                            >= promised.addAndGet(count);
        }

        @Override
        public void suspend() {
            Object ignored = TransactionSynchronizationManager.unbindResourceIfPossible(SoonDueRows.this);
        }

        @Override
        public void resume() {
            TransactionSynchronizationManager.bindResource(SoonDueRows.this, this);
        }

        @Override
        public void afterCompletion(int status) {
            suspend();
            // One that is registered while others are told of the commit is told only of this.
            if (status != STATUS_ROLLED_BACK) {
                run();
            }
        }
    }
}
