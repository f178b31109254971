package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.Context.LOGGER;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.durable.DurableEnd;
import io.github.wheelscheduler.durable.DurableListener;
import io.github.wheelscheduler.durable.internal.ClaimTable.FreedRow;
import io.github.wheelscheduler.durable.internal.journal.AfterCommit;
import io.github.wheelscheduler.durable.internal.journal.EndNotes;
import io.github.wheelscheduler.durable.internal.journal.RunFacts;
import io.github.wheelscheduler.durable.internal.journal.StatementRows;
import io.github.wheelscheduler.internal.LogLimit;
import io.github.wheelscheduler.internal.spring.run.ThrownLog;
import io.github.wheelscheduler.jdbc.internal.EndNote;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Delivers committed ends to listeners, in order, in a group of one worker, created with the first listener, and before
 * that to a history. Any thread; nothing blocks or throws.
 */
final class EndListeners {

    /** The maximum number of waiting ends. */
    static final int MOST = 10_000;

    private final Supplier<WheelScheduledExecutor> newGroup;
    private final EndNotes notes;
    private final List<DurableListener> listeners = new CopyOnWriteArrayList<>();
    private final Queue<DurableEnd> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicBoolean isTelling = new AtomicBoolean();
    private final AtomicBoolean hasDropped = new AtomicBoolean();
    private final LogLimit failures;

    private volatile @Nullable WheelScheduledExecutor group;
    private volatile boolean isClosed;

    EndListeners(WheelScheduledExecutor clock, Supplier<WheelScheduledExecutor> newGroup, EndNotes notes) {
        this.newGroup = newGroup;
        this.notes = notes;
        this.failures = new LogLimit(clock::nanoTime);
    }

    synchronized void add(DurableListener listener) {
        if (group == null) {
            group = newGroup.get();
        }
        boolean ignored = listeners.add(listener);
    }

    /** Whether ends are worth their memory. */
    boolean areThere() {
        return !listeners.isEmpty() || notes.areThere();
    }

    /** Returns the way to the history. */
    EndNotes notes() {
        return notes;
    }

    /**
     * Queues the end of a task that is cancelled before its run, once the transaction of the caller has been
     * committed.
     */
    void tellCancelled(String handler, String id) {
        if (!areThere()) {
            return;
        }
        DurableEnd end = new DurableEnd(DurableEnd.Kind.CANCELLED, handler, id, 0, null, null, null);
        AfterCommit.run(() -> tell(end), why -> {});
    }

    /** Adds the notes of rows of a dead node that are about to be freed. */
    void note(StatementRows rows, List<FreedRow> freed) {
        if (rows.areTaken()) {
            freed.stream()
                    .filter(row -> rows.noteOf(row) == null)
                    .forEach(row -> rows.add(row, notes.about(() -> noteOf(row))));
        }
    }

    /** Notes and queues the committed ends of rows of a dead node. */
    void tellFreed(StatementRows rows, List<FreedRow> freed) {
        rows.answered(freed);
        for (FreedRow row : freed) {
            notes.committed(rows.noteOf(row), () -> noteOf(row));
            queue(row.end());
        }
    }

    private EndNote noteOf(FreedRow row) {
        return notes.of(row.end(), new RunFacts(row.dueAt(), null, null, EndNote.Cause.SCHEDULE, null));
    }

    /** Notes a committed end, and queues it for the listeners. */
    void tell(DurableEnd end) {
        tell(end, null);
    }

    /** The same of a row that this node had claimed, and that has ended without a run. */
    void tell(DurableEnd end, @Nullable Claim claim) {
        notes.committed(null, () -> notes.of(end, claim == null ? null : claim.facts()));
        queue(end);
    }

    /** Queues a committed end for the listeners. */
    void queue(DurableEnd end) {
        try {
            if (listeners.isEmpty()) {
                return;
            }
            if (queued.get() >= MOST) {
                drop();
                return;
            }
            boolean ignored = queue.add(end);
            int unused = queued.incrementAndGet();
            wake();
        } catch (Throwable ex) {
            // Memory may be short: nothing that runs is to fail for want of it.
            ThrownLog.debug(
                    LOGGER,
                    "The end of a durable task is not delivered to any DurableListener, mostly for lack of memory; the "
                            + "task is not affected",
                    ex);
        }
    }

    private void drop() {
        if (hasDropped.compareAndSet(false, true)) {
            LOGGER.warn(MOST + " ends of durable tasks wait for slow listeners; further ends are not "
                    + "delivered until they catch up. Let each DurableListener only hand work over");
        }
    }

    private void wake() {
        WheelScheduledExecutor worker = group;
        if (worker != null && isTelling.compareAndSet(false, true)) {
            boolean isTaken = false;
            try {
                worker.execute(this::tellAll);
                isTaken = true;
            } catch (RejectedExecutionException ex) {
                LOGGER.debug("The node closed before all ends were delivered to listeners; the rest are not");
            } finally {
                if (!isTaken) {
                    isTelling.set(false);
                }
            }
        }
    }

    private void tellAll() {
        try {
            DurableEnd end = queue.poll();
            while (end != null) {
                int ignored = queued.decrementAndGet();
                for (DurableListener listener : listeners) {
                    if (isClosed) {
                        return;
                    }
                    tell(listener, end);
                }
                end = queue.poll();
            }
            hasDropped.set(false);
        } finally {
            isTelling.set(false);
        }
        if (!queue.isEmpty()) {
            wake();
        }
    }

    private void tell(DurableListener listener, DurableEnd end) {
        try {
            listener.ended(end);
        } catch (Throwable ex) {
            if (failures.tryPass() >= 0) {
                ThrownLog.warn(LOGGER, "A DurableListener failed; the task is not affected. Fix the listener", ex);
            }
        }
        // An interrupt of its own must not be that of the next.
        Runs.clearInterrupt();
    }

    /** Ends when what waits has been told, or after some time. */
    void close(long limitMillis) {
        WheelScheduledExecutor worker = group;
        if (worker == null) {
            return;
        }
        try {
            worker.shutdown();
            if (!worker.awaitTermination(limitMillis, TimeUnit.MILLISECONDS)) {
                LOGGER.warn("Listeners of durable tasks are slow; the node closes, and " + queued.get()
                        + " ends were not delivered. Let each DurableListener only hand work over");
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        // Before the interrupt, which ends one call only.
        isClosed = true;
        List<Runnable> ignored = worker.shutdownNow();
    }
}
