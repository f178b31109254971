package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.internal.Database.Tables;
import io.github.wheelscheduler.durable.internal.Runs.Outcome;
import io.github.wheelscheduler.jdbc.internal.DatabaseErrors;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Turns on the wheel, one for each claimed row. A turn is not for its row: it starts the row that is next then, so that
 * a backlog of one handler does not stand before the others. Any thread.
 */
final class FairStarts {

    private static final long ASK_AGAIN_NANOS = 200_000_000;

    private final Context context;
    private final Tables tables;
    private final NodeLife life;
    private final ClaimedTasks claimedTasks;
    private final Runs runs;
    private final EndWriter endWriter;
    private final Runnable claimSoon;

    private final Set<Turn> turns = ConcurrentHashMap.newKeySet();

    // Who looks writes it, who runs reads it

    /** Whether there was more than could be claimed. */
    private volatile boolean isBehind;

    /** Half of what was waiting after the last look that left something. */
    private volatile int runsLow;

    /** Whether something was given back and no worker has become free since then. */
    volatile boolean isStuck;

    FairStarts(Context context, Tables tables, NodeLife life, Runs runs, EndWriter endWriter, Runnable claimSoon) {
        this.context = context;
        this.tables = tables;
        this.life = life;
        this.claimedTasks = context.claimedTasks();
        this.runs = runs;
        this.endWriter = endWriter;
        this.claimSoon = claimSoon;
    }

    /** Takes in whether the last look has found more than could be claimed. */
    void noteLook(boolean hasLeftSome) {
        isBehind = hasLeftSome;
        runsLow = claimedTasks.waiting() / 2;
    }

    /** Whether more may be claimed: who has given something back waits for a worker. */
    boolean mayClaimMore() {
        return !isStuck || claimedTasks.running() < context.settings().maxConcurrent();
    }

    /** Returns how much more may be claimed. */
    int room() {
        return context.settings().maxClaimed() - claimedTasks.waiting() - endWriter.untold();
    }

    private boolean isLow() {
        return isBehind && claimedTasks.waiting() <= runsLow;
    }

    /** On the wheel until something is due; then it starts what is next. Worker. */
    private final class Turn implements Runnable, ManagedTask {

        private volatile @Nullable WheelTimer<?> timer;

        @Override
        public void run() {
            boolean ignored = turns.remove(this);
            haveTurn();
        }

        /** Whether it is over, and has started nothing. */
        boolean isLost() {
            WheelTimer<?> armed = timer;
            return armed != null && armed.isDone();
        }

        /** The rejection handler has no say: a row is given back. */
        @Override
        public boolean isSteered() {
            return true;
        }

        /** A row is not lost because others fill the group. */
        @Override
        public boolean waitsWhenFull() {
            return true;
        }

        @Override
        public String taskName() {
            return DurableEngine.GROUP;
        }
    }

    void arm(Instant at) {
        Instant now = context.clock().now();
        armIn(at.isAfter(now) ? Duration.between(now, at).toNanos() : 0);
    }

    private void armIn(long delayNanos) {
        Turn turn = new Turn();
        boolean ignored = turns.add(turn);
        try {
            turn.timer = context.workers().schedule(turn, delayNanos, TimeUnit.NANOSECONDS);
        } catch (Throwable ex) {
            ignored = turns.remove(turn);
            throw ex;
        }
    }

    /**
     * Sees to it that there is a turn for each row that could start: some may have been lost, or have come too early as
     * the database's clock was asked meanwhile.
     */
    void mend() {
        boolean ignored = turns.removeIf(Turn::isLost);
        ClaimedTasks.Startable startable = claimedTasks.startable();
        try {
            for (int missing = startable.count() - turns.size(); missing > 0; missing--) {
                arm(startable.earliest());
            }
        } catch (RejectedExecutionException ex) {
            LOGGER.debug("The executor rejected the start of a durable task; the next heartbeat tries again", ex);
        }
    }

    private void haveTurn() {
        if (isLow()) {
            claimSoon.run();
        }
        Instant now = context.clock().now();
        Claim claim = claimedTasks.start(now, context.workers().nanoTime());
        if (claim == null) {
            mend();
            return;
        }
        if (!mayStart(claim)) {
            return;
        }
        Outcome outcome = null;
        try {
            outcome = runs.run(claim, now);
            if (outcome.end() != null) {
                // Before its worker counts as free: closing waits for it then.
                endWriter.add(outcome.end());
            }
        } catch (Throwable ex) {
            outcome = null;
            if (DatabaseErrors.isOfDatabase(ex)) {
                // Asked before the run, which has not begun.
                context.availability().isAway(ex);
            } else {
                context.unwritten(claim, ex);
            }
        } finally {
            if (outcome == null) {
                // Nobody knows how it has ended, so it is given back when that is found out.
                claimedTasks.forget(claim);
            }
            ended(claim, outcome != null && outcome.hasRun());
        }
        endWriter.send();
        endWriter.awaitTurn();
        if (isLow() && room() > 0) {
            // The room that ends took may be free again.
            claimSoon.run();
        }
    }

    /**
     * Whether a claim is still this node's, as far as can be known. If not, it does not run any more: it waits again,
     * or is forgotten.
     */
    private boolean mayStart(Claim claim) {
        boolean isAnswered = false;
        boolean isOurs = false;
        try {
            isOurs = isOurs(claim);
            isAnswered = true;
            context.availability().hasWorked(this);
        } catch (RuntimeException ex) {
            context.availability().isAway(ex, this);
        } finally {
            if (!isOurs) {
                startNot(claim, isAnswered);
            }
        }
        return isOurs;
    }

    private void startNot(Claim claim, boolean isLost) {
        if (isLost) {
            claimedTasks.forget(claim);
            ended(claim, false);
            context.tally().lost.incrementAndGet();
            LOGGER.warn("The durable task " + claim
                    + " does not start here, as another node has taken it over, because this one missed "
                    + "its heartbeats. "
                    + "Look for long pauses of this process");
            return;
        }
        // Nothing of it follows: another worker may start it at once.
        claimedTasks.putBack(claim);
        try {
            armIn(ASK_AGAIN_NANOS);
        } catch (RejectedExecutionException ex) {
            LOGGER.debug("The executor rejected the start of a durable task; the next heartbeat tries again", ex);
        }
    }

    private boolean isOurs(Claim claim) {
        return claim.owner() == life.incarnation()
                && (!life.isDoubtful() || tables.claims().isOurs(claim.owner(), claim.key()))
                && (!claim.row().isSuspect() || tables.claims().mark(claim.key()))
                && hasPayload(claim);
    }

    private boolean hasPayload(Claim claim) {
        if (claim.payload == null) {
            claim.payload = tables.claims().payload(claim.key());
        }
        return claim.payload != null;
    }

    private void ended(Claim claim, boolean counts) {
        boolean letsOthersStart = claimedTasks.ended(claim, context.workers().nanoTime(), counts);
        if (letsOthersStart) {
            mend();
        }
        boolean wasStuck = isStuck;
        isStuck = false;
        if (wasStuck || isLow()) {
            claimSoon.run();
        }
    }
}
