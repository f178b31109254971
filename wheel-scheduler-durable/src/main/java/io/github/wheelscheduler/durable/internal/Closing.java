package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;
import static io.github.wheelscheduler.internal.DurationWords.exactly;

import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.internal.DurableNode.Connected;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** How a node ends its work, which may have been connected. What that may take counts from when it was stopped. */
final class Closing {

    /** Once for runs that have been interrupted, for what the database is still to be told, and for the node's row. */
    private static final long LAST_MILLIS = 500;

    private static final long PAUSE_NANOS = 2_000_000;
    private static final long TOLD_NANOS = 2_000_000_000;

    private final Context context;
    private final DurableSettings settings;
    private final NodeGroups groups;
    private final ClaimedTasks claimedTasks;

    /** When it was stopped, on the executor's clock. */
    private volatile long stoppedNanos;

    Closing(Context context) {
        this.context = context;
        this.settings = context.settings();
        this.groups = context.groups();
        this.claimedTasks = context.claimedTasks();
    }

    /** Gives back what has not started, waits for runs, and interrupts what still runs at the limit. */
    void stop(@Nullable Connected node) {
        stoppedNanos = groups.executor().nanoTime();
        if (node == null) {
            return;
        }
        try {
            // On another thread: the database may not answer.
            groups.jobs()
                    .submit(() -> {
                        node.life().tell();
                        node.claiming().giveBackWaiting();
                    })
                    .get(Math.max(1, leftNanos()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RejectedExecutionException ex) {
            LOGGER.warn(
                    "What was claimed could not be given back, and is found dead after "
                            + exactly(settings.deadAfter()),
                    ex);
        }
        if (!awaitRuns(node.ends(), 0)) {
            LOGGER.warn(claimedTasks.running() + " durable tasks still run after " + exactly(settings.closeLimit())
                    + ", and are interrupted");
            node.runs().interruptAll();
            if (!awaitRuns(node.ends(), TimeUnit.MILLISECONDS.toNanos(LAST_MILLIS))) {
                LOGGER.warn("Durable tasks that ignore their interrupt run on: " + claimedTasks.runningTasks()
                        + "; other nodes run them again after " + exactly(settings.deadAfter()));
            }
        }
    }

    /** Waits for runs, and until the database knows how they have ended if it answers, until the limit of closing and for so much longer. */
    private boolean awaitRuns(Ends ends, long moreNanos) {
        while ((claimedTasks.running() > 0 || ends.isSending() || mayBeTold(ends))
                && leftNanos() + moreNanos > 0
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
        return claimedTasks.running() == 0;
    }

    /** What waits for the database, or for a lock, has two seconds, and half of the limit at most. */
    private boolean mayBeTold(Ends ends) {
        long limitNanos = settings.closeLimit().toNanos();
        return ends.untold() > 0 && leftNanos() > Math.max(limitNanos / 2, limitNanos - TOLD_NANOS);
    }

    private long leftNanos() {
        return settings.closeLimit().toNanos() - (groups.executor().nanoTime() - stoppedNanos);
    }

    /** Shuts the groups down, and takes the node's row away. */
    void close(Supplier<@Nullable Connected> connected) {
        try {
            if (groups.ownsWorkers()) {
                List<Runnable> ignored = groups.workers().shutdownNow();
            }
            context.notifications().deafen();
            // What the database is still to be told goes on until then.
            groups.jobs().shutdown();
            if (!groups.jobs().awaitTermination(LAST_MILLIS, TimeUnit.MILLISECONDS)) {
                LOGGER.warn("The database has not been told of all that this node has done; that is found out after "
                        + exactly(settings.deadAfter()));
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        context.notifications().close();
        List<Runnable> ignored = groups.jobs().shutdownNow();
        context.listeners().close(LAST_MILLIS);
        Connected node = connected.get();
        try {
            if (node != null) {
                // Where heartbeats are sent, as one may be under way, and for no longer than the database needs for a
                // statement.
                groups.heart().submit(() -> leave(node.life())).get(LAST_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RejectedExecutionException ex) {
            LOGGER.debug("The node's row stays, and is found dead", ex);
        }
        ignored = groups.heart().shutdownNow();
    }

    static void leave(NodeLife life) {
        try {
            life.leave();
        } catch (RuntimeException ex) {
            LOGGER.debug("The node's row stays, and is found dead", ex);
        }
    }
}
