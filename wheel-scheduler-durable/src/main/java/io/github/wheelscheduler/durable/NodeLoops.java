package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.durable.DurableCounts.Tally;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * What a node does again and again: it claims rows, says that they are alive, frees those of dead nodes, asks for the time, and forgets what is long gone. Keepers do that; any
 * thread may ask them to claim soon.
 */
final class NodeLoops {

    private static final Log LOGGER = LogFactory.getLog("io.github.wheelscheduler.durable");

    private static final int LOOKS_PER_CLAIM_AHEAD = 5;
    private static final int LOOKS_AHEAD = 2;
    private static final Duration LONGEST_LOOK = Duration.ofSeconds(1);
    private static final long ASK_CLOCK_SECONDS = 10;

    private final DurableSettings settings;
    private final NodeGroups groups;
    private final Database database;
    private final DatabaseClock clock;
    private final Availability availability;
    private final Tally tally;
    private final NodeState state;

    /** One thread claims at a time. */
    private final ReentrantLock claiming = new ReentrantLock();

    /** Whether a keeper is about to claim because somebody has asked for it. */
    private final AtomicBoolean isClaimAsked = new AtomicBoolean();

    NodeLoops(
            DurableSettings settings,
            NodeGroups groups,
            Database database,
            DatabaseClock clock,
            Availability availability,
            Tally tally,
            NodeState state) {
        this.settings = settings;
        this.groups = groups;
        this.database = database;
        this.clock = clock;
        this.availability = availability;
        this.tally = tally;
        this.state = state;
    }

    /** Begins all of them, until the keepers are shut down. */
    void begin() {
        every(Duration.ofMinutes(1), this::forgetGone);
        every(lookEvery(), this::claim);
        every(settings.heartbeat(), this::keep);
        every(Duration.ofSeconds(ASK_CLOCK_SECONDS), () -> clock.ask(database.table()::now));
    }

    /** Often enough to see each row about a second before it is due, and a pause soon. */
    private Duration lookEvery() {
        Duration pause = settings.claimAhead().multipliedBy(LOOKS_AHEAD).dividedBy(LOOKS_PER_CLAIM_AHEAD);
        return pause.compareTo(LONGEST_LOOK) < 0 ? pause : LONGEST_LOOK;
    }

    private void every(Duration pause, Runnable step) {
        Object ignored =
                groups.keepers().scheduleWithFixedDelay(() -> guarded(step), 0, pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (Throwable ex) {
            // An error, too: it must not end the series.
            if (Availability.isOfDatabase(ex)) {
                availability.isAway(ex);
            } else {
                LOGGER.error("Keeping durable tasks has failed, and goes on", ex);
            }
        }
    }

    // Claiming

    private void claim() {
        Claims current = state.claims();
        if (current == null) {
            return;
        }
        claiming.lock();
        try {
            boolean more = mayClaim();
            if (!more) {
                current.releaseWaiting();
            }
            while (more) {
                more = current.claimSome() && mayClaim();
            }
        } finally {
            claiming.unlock();
        }
    }

    private boolean mayClaim() {
        return state.isRunning() && !state.isClosed() && groups.mayRunTasks();
    }

    /** Looks for rows that are due soon without waiting for the next time. Any thread. */
    void claimSoon() {
        if (state.isConnected() && !state.isClosed() && isClaimAsked.compareAndSet(false, true)) {
            try {
                Object ignored = groups.keepers().schedule(this::claimAsked, 0, TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException ex) {
                isClaimAsked.set(false);
            }
        }
    }

    /** Claims soon once the transaction that the caller is in has committed, or now if there is none. Any thread. */
    void claimSoonAfterCommit() {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    claimSoon();
                }
            });
        } else {
            claimSoon();
        }
    }

    private void claimAsked() {
        isClaimAsked.set(false);
        guarded(this::claim);
    }

    /** Gives back what has not started. */
    void giveBack() {
        Claims current = state.claims();
        if (current != null) {
            claiming.lock();
            try {
                current.releaseWaiting();
            } finally {
                claiming.unlock();
            }
        }
    }

    // Keeping

    private void keep() {
        Claims current = state.claims();
        if (current == null) {
            return;
        }
        current.beat();
        int freed = current.freeDead();
        availability.isThere();
        if (freed > 0) {
            LOGGER.info(freed + " durable tasks of nodes that are not heard of any more can be claimed again");
            long unused = tally.takenOver.addAndGet(freed);
            claimSoon();
        }
    }

    private void forgetGone() {
        int gone = database.recurring().deleteBefore(clock.now().minus(settings.forgetAfter()));
        if (gone > 0) {
            LOGGER.info(gone + " recurring durable tasks have run nowhere for " + settings.forgetAfter()
                    + ", and are forgotten");
        }
    }
}
