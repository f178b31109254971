package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.Database.HeldConnection;
import io.github.wheelscheduler.durable.DurableCounts.Tally;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Starts, stops and closes a node. Any thread. */
final class NodeLifecycle {

    private static final Log LOGGER = LogFactory.getLog("io.github.wheelscheduler.durable");

    private static final long LAST_SECONDS = 1;
    private static final long LOOK_NANOS = 2_000_000;

    private final DurableSettings settings;
    private final NodeGroups groups;
    private final Tally tally;
    private final NodeState state;
    private final NodeLoops loops;
    private final Connector connector;

    /** Whether it has been started for the first time: one caller connects. */
    private final AtomicBoolean isStarted = new AtomicBoolean();

    NodeLifecycle(
            DurableSettings settings,
            NodeGroups groups,
            Tally tally,
            NodeState state,
            NodeLoops loops,
            Connector connector) {
        this.settings = settings;
        this.groups = groups;
        this.tally = tally;
        this.state = state;
        this.loops = loops;
        this.connector = connector;
    }

    /**
     * Begins to claim and to run tasks, for the first time or again.
     *
     * @throws UnsupportedDatabaseException if the database is none that this works with
     * @throws IllegalStateException if it has been closed
     */
    void start() {
        state.start();
        if (isStarted.compareAndSet(false, true)) {
            connector.connectNowOrSoon();
        } else {
            loops.claimSoon();
        }
    }

    /** Claims nothing more, gives back what has not started, and waits for runs. */
    void stop() {
        state.stop();
        boolean ignored = giveBackAndAwaitRuns(groups.executor().nanoTime());
    }

    /** The same for good: what then still runs is interrupted, and the groups are shut down. */
    void close() {
        if (!state.close()) {
            return;
        }
        if (!giveBackAndAwaitRuns(groups.executor().nanoTime())) {
            LOGGER.warn("Durable tasks still run after " + settings.closeLimit()
                    + (groups.ownsWorkers() ? ", and are interrupted" : ", in a group that is not this node's own"));
        }
        Runs runs = state.runs();
        if (runs != null) {
            runs.interrupting();
        }
        WheelScheduledExecutor keepers = groups.keepers();
        try {
            if (groups.ownsWorkers()) {
                List<Runnable> ignored = groups.workers().shutdownNow();
                boolean unused = groups.workers().awaitTermination(LAST_SECONDS, TimeUnit.SECONDS);
            }
            // What the database is still to be told goes on until then.
            keepers.shutdown();
            if (!keepers.awaitTermination(LAST_SECONDS, TimeUnit.SECONDS)) {
                LOGGER.warn("The database has not been told of all that this node has done; that is found out after "
                        + settings.deadAfter());
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        List<Runnable> ignored = keepers.shutdownNow();
        HeldConnection held = state.held();
        if (held != null) {
            held.close();
        }
    }

    /** Returns whether no run is left within the limit. */
    private boolean giveBackAndAwaitRuns(long startNanos) {
        if (!state.isConnected()) {
            return true;
        }
        long limitNanos = settings.closeLimit().toNanos();
        try {
            // On another thread: the database may not answer.
            groups.keepers().submit(loops::giveBack).get(Math.max(1, limitNanos), TimeUnit.NANOSECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RejectedExecutionException ex) {
            LOGGER.warn(
                    "What was claimed could not be given back, and is found dead after " + settings.deadAfter(), ex);
        }
        while (tally.running.get() > 0
                && groups.executor().nanoTime() - startNanos < limitNanos
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(this, LOOK_NANOS);
        }
        return tally.running.get() == 0;
    }
}
