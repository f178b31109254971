package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;
import static io.github.wheelscheduler.internal.DurationWords.exactly;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.durable.internal.DurableNode.Connected;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The end of a node, which may have been connected. The limit counts from when it was stopped. */
final class Closing {

    /** Once for runs that have been interrupted, for what the database is still to be told, and for the node's row. */
    private static final long LAST_MILLIS = 500;

    private static final long PAUSE_NANOS = 2_000_000;
    private static final long TOLD_NANOS = 2_000_000_000;

    private final Context context;
    private final DurableSettings settings;
    private final NodeGroups groups;
    private final ClaimedTasks claimedTasks;

    /** When it was stopped, by the machine's clock: virtual time stands still while a context closes. */
    private volatile long stoppedNanos;

    Closing(Context context) {
        this.context = context;
        this.settings = context.settings();
        this.groups = context.groups();
        this.claimedTasks = context.claimedTasks();
    }

    /** Gives back what has not started, waits for runs, and interrupts what still runs at the limit. */
    void stop(@Nullable Connected node) {
        stoppedNanos = System.nanoTime();
        if (node == null) {
            return;
        }
        try {
            // On another thread: the database may not answer.
            submit(groups.jobs(), () -> {
                        node.life().tell();
                        node.claiming().giveBackWaiting();
                    })
                    .get(Math.max(1, leftNanos()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RejectedExecutionException ex) {
            LOGGER.warn(
                    "Claimed tasks were not released before the close limit, or the database refused it; other nodes "
                            + "take them over after "
                            + exactly(settings.deadAfter()),
                    ex);
        }
        if (!awaitRuns(node.endWriter(), 0)) {
            LOGGER.warn(
                    claimedTasks.running() + " durable tasks still run after wheel.scheduler.durable.close-limit of "
                            + exactly(settings.closeLimit())
                            + "; they are interrupted and run again. Raise the limit, or shorten the runs");
            node.runs().interruptAll();
            if (!awaitRuns(node.endWriter(), TimeUnit.MILLISECONDS.toNanos(LAST_MILLIS))) {
                LOGGER.warn("Durable tasks ignore their interrupt and still run: " + claimedTasks.runningTasks()
                        + "; other nodes run them again after " + exactly(settings.deadAfter())
                        + ". Let handlers end when they are interrupted");
            }
        }
    }

    /**
     * In virtual time a node has no timer, so its groups end as soon as the executor is shut down; no other work may be
     * left there.
     */
    private Future<?> submit(WheelScheduledExecutor group, Runnable step) {
        try {
            return group.submit(step);
        } catch (RejectedExecutionException ex) {
            if (!context.clock().isVirtual()) {
                throw ex;
            }
            step.run();
            return CompletableFuture.completedFuture(true);
        }
    }

    /**
     * Waits for runs, and until the database knows how they have ended if it answers, until the limit of closing and
     * for so much longer.
     */
    private boolean awaitRuns(EndWriter endWriter, long moreNanos) {
        while ((claimedTasks.running() > 0 || endWriter.isSending() || mayBeTold(endWriter))
                && leftNanos() + moreNanos > 0
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
        return claimedTasks.running() == 0;
    }

    /** A statement that waits for the database or for a lock has two seconds, and half of the limit at most. */
    private boolean mayBeTold(EndWriter endWriter) {
        long limitNanos = settings.closeLimit().toNanos();
        return endWriter.untold() > 0 && leftNanos() > Math.max(limitNanos / 2, limitNanos - TOLD_NANOS);
    }

    private long leftNanos() {
        return settings.closeLimit().toNanos() - (System.nanoTime() - stoppedNanos);
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
                LOGGER.warn(
                        "The node closed before the ends of all its runs were written, as the database did not answer "
                                + "in time; other nodes run those tasks again after "
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
                submit(groups.heart(), () -> leave(node.life())).get(LAST_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RejectedExecutionException ex) {
            LOGGER.debug("The row of this node was not deleted, so other nodes will find it dead", ex);
        }
        ignored = groups.heart().shutdownNow();
    }

    static void leave(NodeLife life) {
        try {
            life.leave();
        } catch (RuntimeException ex) {
            LOGGER.debug("The row of this node was not deleted, so other nodes will find it dead", ex);
        }
    }
}
