package io.github.wheelscheduler.keyed;

import io.github.wheelscheduler.CallObserver;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.ShortMemory;
import io.github.wheelscheduler.keyed.Turns.Turn;
import io.github.wheelscheduler.timers.KeptTask;
import io.github.wheelscheduler.timers.ObservedCall;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brings entries whose time has come to the handler, those of one key one after the other. Workers.
 *
 * <p>The worker of an entry handles it at once, as a batch of one. For larger batches, the first due entry requests a
 * collector, which goes to the end of the workers' queue. Entries due at the same time are ahead of it there, so the
 * collector finds them all. Batches may run side by side, with different keys.
 *
 * <p>A worker takes the turn of a key before it calls the handler. If another has it, the entry waits: that is noted
 * with the turn, and then the worker looks whether the turn has ended. The worker that ends it reads afterwards which
 * entry waits. So one of the two sees the other, no worker waits, and nothing is lost: the entry is pending until it
 * has its turn, and can be removed, moved and replaced until then.
 */
final class Firing<K, V> implements KeptTask {

    private static final int FIRST_ROOM = 16;

    private final KeyedTimers<K, V> owner;
    private final int maxBatch;
    private final Consumer<? super Batch<K, V>> handler;
    private final Turns<K, V> turns = new Turns<>();
    private final Queue<KeyedEntry<K, V>> due = new ConcurrentLinkedQueue<>();

    /**
     * A collector has been asked for that has not begun to look at the queue. Written by any worker, after it has added
     * to the queue.
     */
    private final AtomicBoolean isCollectorComing = new AtomicBoolean();

    /** Creates one that calls the handler for entries that are due together. */
    Firing(KeyedTimers<K, V> owner, int maxBatch, Consumer<? super Batch<K, V>> handler) {
        this.owner = owner;
        this.maxBatch = maxBatch;
        this.handler = handler;
    }

    /** Creates one that calls the handler for each entry by itself. */
    static <K, V> Firing<K, V> single(KeyedTimers<K, V> owner, BiConsumer<? super K, ? super V> handler) {
        return new Firing<>(owner, 1, batch -> {
            KeyedEntry<K, V> entry = batch.taken.get(0).entry;
            handler.accept(entry.key, entry.value);
        });
    }

    /** The time of an entry has come. */
    void due(KeyedEntry<K, V> entry) {
        add(entry);
        if (maxBatch == 1 || !askForCollector()) {
            run();
        }
    }

    /** Without memory for it, it is retried as long as the entry is pending. */
    private void add(KeyedEntry<K, V> entry) {
        boolean isDone = false;
        while (!isDone && entry.isLive()) {
            try {
                isDone = due.add(entry);
            } catch (OutOfMemoryError ex) {
                ShortMemory.pause();
            }
        }
    }

    /** Sees to it that a collector comes, if anything is due; false if the caller has to be that. */
    private boolean askForCollector() {
        if (due.isEmpty() || !isCollectorComing.compareAndSet(false, true)) {
            return true;
        }
        try {
            // A timer, as that waits in a full group that would reject an executed task.
            WheelTimer<?> ignored = owner.timers.schedule(this, 0);
            return true;
        } catch (Throwable ex) {
            // Out of memory, at its limit, or shut down. Another worker may be luckier, or is free to be the collector.
            isCollectorComing.set(false);
            return false;
        }
    }

    /** Collects due entries, and handles them. */
    @Override
    public void run() {
        boolean goesOn = true;
        while (goesOn) {
            isCollectorComing.set(false);
            try {
                // A worker that is stopped has looked before it has begun this. What is left stays pending.
                goesOn = handleBatch() && !owner.timers.isStopped();
            } catch (OutOfMemoryError ex) {
                // Before anything was taken.
                ShortMemory.pause();
            }
        }
    }

    /** Calls the handler with a batch; true if the caller has to continue. */
    private boolean handleBatch() {
        if (!owner.handlers.enter()) {
            return false;
        }
        try {
            Batch<K, V> batch = new Batch<>(maxBatch);
            fill(batch);
            boolean isAnotherComing = askForCollector();
            if (!batch.isEmpty()) {
                call(batch);
            }
            for (int i = 0; i < batch.size(); i++) {
                endAndGoOn(batch.taken.get(i));
            }
            // Submitted again, so that a key that is set continuously does not occupy a worker.
            return !isAnotherComing || !askForCollector();
        } finally {
            owner.handlers.leave();
        }
    }

    private void call(Batch<K, V> batch) {
        CallObserver observer = owner.observer;
        if (observer == null) {
            owner.handlers.call(handler, batch);
        } else {
            ObservedCall.call(owner.handlers, observer, batch.kept(), handler, batch);
        }
    }

    /** Takes due entries, up to the size of a batch, and examines no more than that. */
    private void fill(Batch<K, V> batch) {
        for (int looks = 0; looks < maxBatch && batch.hasRoom(); looks++) {
            KeyedEntry<K, V> entry = due.poll();
            if (entry == null) {
                return;
            }
            Turn<K, V> turn = takeTurn(entry);
            if (turn != null) {
                if (owner.end(entry, owner.tally.fired)) {
                    if (owner.watched.isLatenessMeasured()) {
                        owner.watched.late(entry.lateNanos());
                    }
                    boolean ignored = batch.taken.add(turn);
                } else {
                    endAndGoOn(turn);
                }
            }
        }
    }

    /**
     * Takes the turn of the entry's key; null if the entry is gone, or waits from now on. Without memory for it, it is
     * tried again as long as the entry is pending. An entry whose key fails is dropped, so that the others of a batch
     * are handled.
     */
    private @Nullable Turn<K, V> takeTurn(KeyedEntry<K, V> entry) {
        while (entry.isLive()) {
            try {
                owner.dropIfChanged(entry);
                if (!entry.isLive() || owner.handlers.isClosed()) {
                    return null;
                }
                Turn<K, V> turn = new Turn<>(entry);
                Turn<K, V> inTheWay = turns.begin(turn);
                if (inTheWay == null) {
                    return turn;
                }
                if (inTheWay.isAwaitedBy(entry)) {
                    return null;
                }
            } catch (OutOfMemoryError ex) {
                ShortMemory.pause();
            } catch (Throwable ex) {
                owner.drop(entry);
            }
        }
        return null;
    }

    private void endAndGoOn(Turn<K, V> turn) {
        KeyedEntry<K, V> next = turns.end(turn);
        if (next != null) {
            add(next);
        }
    }

    @Override
    public String taskName() {
        return owner.name;
    }

    /**
     * The list that the handler sees. Its elements are made when they are asked for: nothing may fail once entries have
     * been taken.
     */
    static final class Batch<K, V> extends AbstractList<DueEntry<K, V>> {

        private final ArrayList<Turn<K, V>> taken;

        Batch(int maxBatch) {
            taken = new ArrayList<>(Math.min(maxBatch, FIRST_ROOM));
        }

        /**
         * Makes room for one more, before that is taken; without memory, a batch that holds something goes without
         * more.
         */
        boolean hasRoom() {
            try {
                taken.ensureCapacity(taken.size() + 1);
                return true;
            } catch (OutOfMemoryError ex) {
                if (taken.isEmpty()) {
                    throw ex;
                }
                return false;
            }
        }

        /** Returns what the observer of calls has kept of the callers; without memory, nothing. */
        List<Object> kept() {
            try {
                List<Object> all = new ArrayList<>();
                for (Turn<K, V> turn : taken) {
                    Object kept = turn.entry.kept();
                    if (kept != null) {
                        boolean ignored = all.add(kept);
                    }
                }
                return all;
            } catch (OutOfMemoryError ex) {
                return List.of();
            }
        }

        @Override
        public DueEntry<K, V> get(int index) {
            KeyedEntry<K, V> entry = taken.get(index).entry;
            return new DueEntry<>(entry.key, entry.value);
        }

        @Override
        public int size() {
            return taken.size();
        }
    }
}
