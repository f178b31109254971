package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.Database.Tables;
import io.github.wheelscheduler.durable.DurableNode.Context;
import io.github.wheelscheduler.durable.InHand.Claim;
import io.github.wheelscheduler.durable.TaskTable.RowKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Tells the database how runs have ended, again and again if it does not answer. Any thread.
 *
 * <pre>
 *  a run has ended --> queue --> nobody sends --> this thread sends batch by batch until the queue is empty
 *                           '--> another does --> it goes with the next batch
 *  batch --> rows that nobody has locked: deleted in one statement, or changed in one transaction
 *        '-> rows that are locked, not this node's any more, or to run again --> each told apart by a keeper, which may wait for a lock
 *        '-> the database does not answer --> back into the queue; after a pause one row is tried, then twice as many each time
 * </pre>
 *
 * What ends alone is told by its own worker at once. A sender that waits for longer than a second holds up no other: the next one sends beside it.
 */
final class Ends {

    private static final Log LOGGER = LogFactory.getLog("io.github.wheelscheduler.durable");

    private static final int BATCH = 200;
    private static final long STUCK_NANOS = 1_000_000_000;
    private static final long AGAIN_MILLIS = 300;
    private static final long LONGEST_PAUSE_MILLIS = 30_000;
    private static final long LONGEST_STILL_MILLIS = 5_000;
    private static final int MOST_DOUBLINGS = 10;
    private static final int MOST_APART = 2;

    private final Context context;
    private final Tables tables;
    private final InHand inHand;

    private final Queue<End> queue = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable Sender> sender = new AtomicReference<>();
    private final Semaphore apart = new Semaphore(MOST_APART);

    /** Ends that the database does not know of, be they in the queue, under way, or waiting to be told apart. */
    private final AtomicInteger untold = new AtomicInteger();

    /** How many go into a batch at most: one after a failure, and twice as many with each success. */
    private volatile int limit = BATCH;

    /** How many sendings in a row have failed. */
    private final AtomicInteger failures = new AtomicInteger();

    /** Until when nobody sends after a failure; counts while there was one. */
    private volatile long goOnNanos;

    Ends(Context context, Tables tables) {
        this.context = context;
        this.tables = tables;
        this.inHand = context.inHand();
    }

    /**
     * How a run has ended.
     *
     * @param isDone whether its row is to be deleted, unless the run has scheduled what follows it
     * @param tell tells the database; false if the row is not this node's any more
     * @param attempt how often it may have been told already
     */
    record End(Claim claim, boolean isDone, BooleanSupplier tell, int attempt) {

        private End again() {
            return new End(claim, isDone, tell, attempt + 1);
        }

        private RowKey key() {
            return claim.key();
        }

        private long pauseMillis() {
            return Math.min(LONGEST_PAUSE_MILLIS, AGAIN_MILLIS << Math.min(attempt, MOST_DOUBLINGS));
        }
    }

    private WheelScheduledExecutor keepers() {
        return context.groups().keepers();
    }

    /** Tells the database of an end, in this thread or in another one that does so already. */
    void add(End end) {
        int ignored = untold.incrementAndGet();
        enqueue(end);
        send();
    }

    /** Returns how many ends the database does not know of. */
    int untold() {
        return untold.get();
    }

    /** Whether something is being sent, or about to be; false while all that is left waits for the database or for a lock. */
    boolean isSending() {
        return sender.get() != null || !(queue.isEmpty() || isPausing());
    }

    private boolean isPausing() {
        return failures.get() > 0 && keepers().nanoTime() - goOnNanos < 0;
    }

    /** Sends what is in the queue, unless another thread does. */
    void send() {
        Sender current = sender.get();
        while (!queue.isEmpty() && !isPausing() && (current == null || current.isStuck())) {
            Sender own = new Sender();
            if (sender.compareAndSet(current, own)) {
                try {
                    own.sendAll();
                } finally {
                    boolean ignored = sender.compareAndSet(own, null);
                }
            }
            current = sender.get();
        }
    }

    /** One thread that sends. */
    private final class Sender {

        private volatile long startNanos = keepers().nanoTime();

        boolean isStuck() {
            return keepers().nanoTime() - startNanos > STUCK_NANOS;
        }

        void sendAll() {
            List<End> batch = take();
            while (!batch.isEmpty()) {
                startNanos = keepers().nanoTime();
                sendBatch(batch);
                batch = sender.get() == this && !isPausing() ? take() : List.of();
            }
        }
    }

    private List<End> take() {
        List<End> batch = new ArrayList<>();
        for (End end = queue.poll(); end != null; end = queue.poll()) {
            batch.add(end);
            if (batch.size() >= limit) {
                break;
            }
        }
        return batch;
    }

    private void sendBatch(List<End> batch) {
        if (batch.size() == 1) {
            if (!tell(batch.get(0))) {
                pause();
            }
            return;
        }
        clearInterrupt();
        Set<RowKey> told = new HashSet<>();
        boolean isAnswered = false;
        try {
            tellDone(batch, told);
            tellOthers(batch, told);
            isAnswered = true;
            succeeded();
        } catch (RuntimeException ex) {
            note(ex, "how " + batch.size() + " durable tasks have ended");
            pause();
        } finally {
            for (End end : batch) {
                settle(end, told.contains(end.key()), isAnswered);
            }
        }
    }

    private void settle(End end, boolean isTold, boolean isAnswered) {
        if (isTold) {
            forget(end);
        } else if (isAnswered) {
            tellIn(0, end);
        } else {
            enqueue(end.again());
        }
    }

    /** If memory runs out, the row is forgotten, so that it is found and given back. */
    private void enqueue(End end) {
        try {
            boolean ignored = queue.add(end);
        } catch (OutOfMemoryError ex) {
            forget(end);
        }
    }

    private void tellDone(List<End> batch, Set<RowKey> told) {
        List<RowKey> done = batch.stream()
                .filter(End::isDone)
                .map(end -> end.key())
                .sorted()
                .toList();
        if (!done.isEmpty()) {
            boolean ignored = told.addAll(tables.tasks().doneAll(done));
        }
    }

    private void tellOthers(List<End> batch, Set<RowKey> told) {
        List<End> others = batch.stream().filter(end -> !end.isDone()).toList();
        if (others.isEmpty()) {
            return;
        }
        List<RowKey> keys = others.stream().map(end -> end.key()).sorted().toList();
        Set<RowKey> changed = tables.sql().inTransaction(() -> {
            Set<RowKey> ours = tables.tasks().lockOurs(keys);
            Set<RowKey> some = new HashSet<>();
            for (End end : others) {
                RowKey key = end.key();
                boolean ignored = ours.contains(key) && end.tell().getAsBoolean() && some.add(key);
            }
            return some;
        });
        boolean ignored = told.addAll(changed);
    }

    /** Tells of one end by its own statements, which may wait for a lock; false if that is to be tried again. */
    private boolean tell(End end) {
        clearInterrupt();
        boolean isTriedAgain = false;
        try {
            boolean isTold = end.tell().getAsBoolean();
            // An answer may have been lost: then it is not there any more because of what was said before.
            if (!isTold && end.attempt() == 0) {
                context.tally().lost.incrementAndGet();
                LOGGER.warn(
                        "The durable task " + end.claim()
                                + " has run here, but was taken over by another node meanwhile: it may run, or have run, twice");
            }
            succeeded();
        } catch (RuntimeException ex) {
            note(ex, "how the durable task " + end.claim() + " has ended");
            isTriedAgain = true;
            tellIn(end.pauseMillis(), end.again());
        } finally {
            if (!isTriedAgain) {
                forget(end);
            }
        }
        return !isTriedAgain;
    }

    private void tellIn(long pauseMillis, End end) {
        try {
            Object ignored = keepers().schedule(() -> tellApart(end), pauseMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException ex) {
            forget(end);
            LOGGER.warn("The durable task " + end.claim()
                    + " has run, but the database has not been told: it will run again");
        } catch (OutOfMemoryError ex) {
            // The row is found and given back.
            forget(end);
        }
    }

    /** Each may wait for a lock of a user's, and looks need a thread as well. */
    private void tellApart(End end) {
        if (!apart.tryAcquire()) {
            tellIn(AGAIN_MILLIS, end);
            return;
        }
        try {
            boolean ignored = tell(end);
        } finally {
            apart.release();
        }
    }

    private void forget(End end) {
        inHand.forget(end.claim());
        int ignored = untold.decrementAndGet();
    }

    private void succeeded() {
        failures.set(0);
        limit = Math.min(BATCH, 2 * limit);
        context.availability().isThere();
    }

    private void note(RuntimeException ex, String what) {
        if (Availability.isOfDatabase(ex)) {
            context.availability().isAway(ex);
        } else {
            LOGGER.warn("The database could not be told " + what + "; it is tried again", ex);
        }
    }

    /** A look sends, too, so it does no harm if no keeper does. */
    private void pause() {
        long millis =
                Math.min(LONGEST_STILL_MILLIS, AGAIN_MILLIS << Math.min(failures.getAndIncrement(), MOST_DOUBLINGS));
        limit = 1;
        goOnNanos = keepers().nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            Object ignored = keepers().schedule(this::send, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException ex) {
            LOGGER.warn("The database has not been told how " + untold()
                    + " durable tasks have ended that have run: they will run again");
        }
    }

    /** The interrupt was that of a run, which has ended. */
    static void clearInterrupt() {
        if (Thread.interrupted()) {
            LOGGER.debug("Interrupted");
        }
    }
}
