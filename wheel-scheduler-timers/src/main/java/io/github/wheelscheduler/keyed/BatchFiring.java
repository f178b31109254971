package io.github.wheelscheduler.keyed;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.internal.ShortMemory;
import io.github.wheelscheduler.keyed.Turns.Turn;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Calls the handler for what is due together. The first entry that is due asks for a collector, which goes to the end of the workers' queue:
 * what is due at the same time is before it there, so the collector finds it all. Batches may run side by side, with different keys.
 */
final class BatchFiring<K, V> extends Firing<K, V> {

    private static final int FIRST_ROOM = 16;

    private final Consumer<? super List<DueEntry<K, V>>> handler;
    private final int maxBatch;
    private final Collector collector = new Collector();
    private final Queue<KeyedEntry<K, V>> due = new ConcurrentLinkedQueue<>();

    /** Whether a collector will look at the queue that has not begun to. Any worker, after it has added to the queue. */
    private final AtomicBoolean isCollectorComing = new AtomicBoolean();

    BatchFiring(KeyedTimers<K, V> owner, int maxBatch, Consumer<? super List<DueEntry<K, V>>> handler) {
        super(owner);
        this.maxBatch = maxBatch;
        this.handler = handler;
    }

    @Override
    void due(KeyedEntry<K, V> entry) {
        add(entry);
        if (!askForCollector()) {
            collector.run();
        }
    }

    /** Without memory for it, it is tried again as long as the entry is pending. */
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
        return due.isEmpty() || !isCollectorComing.compareAndSet(false, true) || passOn(collector);
    }

    /** Collects a batch and calls the handler with it; true if the caller has to go on. */
    private boolean collect() {
        isCollectorComing.set(false);
        try {
            if (!owner().handlers().enter()) {
                return false;
            }
        } catch (OutOfMemoryError ex) {
            ShortMemory.pause();
            return true;
        }
        try {
            return handle();
        } catch (OutOfMemoryError ex) {
            // Before anything was taken.
            ShortMemory.pause();
            return true;
        } finally {
            owner().handlers().leave();
        }
    }

    private boolean handle() {
        Batch<K, V> batch = new Batch<>(maxBatch);
        fill(batch);
        boolean isAnotherComing = askForCollector();
        if (!batch.isEmpty()) {
            call(batch);
        }
        for (int i = 0; i < batch.size(); i++) {
            endAndGoOn(batch.turn(i));
        }
        return !isAnotherComing || !askForCollector();
    }

    /** Takes what is due, at most as much as a batch may hold, and looks at no more than that. */
    private void fill(Batch<K, V> batch) {
        for (int looks = 0; looks < maxBatch && batch.hasRoom(); looks++) {
            KeyedEntry<K, V> entry = due.poll();
            if (entry == null) {
                return;
            }
            Turn<K, V> turn = takeTurn(entry);
            if (turn != null) {
                if (owner().end(entry, owner().tally().fired)) {
                    batch.take(turn);
                } else {
                    endAndGoOn(turn);
                }
            }
        }
    }

    private void endAndGoOn(Turn<K, V> turn) {
        KeyedEntry<K, V> next = endTurn(turn);
        if (next != null) {
            add(next);
        }
    }

    private void call(List<DueEntry<K, V>> batch) {
        try {
            handler.accept(batch);
        } catch (Throwable ex) {
            owner().handlers().failed(ex);
        }
    }

    /** What a worker runs to collect. */
    private final class Collector implements Runnable, ManagedTask {

        @Override
        public void run() {
            boolean goesOn = true;
            while (goesOn) {
                goesOn = collect();
            }
        }

        @Override
        public boolean isSteered() {
            return true;
        }

        /** Nothing that is kept by a key is lost because others fill a group. */
        @Override
        public boolean waitsWhenFull() {
            return true;
        }

        @Override
        public String taskName() {
            return owner().name();
        }
    }

    /** What the handler sees. Its elements are made when they are asked for: nothing may fail once entries have been taken. */
    private static final class Batch<K, V> extends AbstractList<DueEntry<K, V>> {

        private final ArrayList<Turn<K, V>> taken;

        Batch(int maxBatch) {
            taken = new ArrayList<>(Math.min(maxBatch, FIRST_ROOM));
        }

        /** Makes room for one more, before that is taken; without memory, a batch that holds something goes without more. */
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

        void take(Turn<K, V> turn) {
            boolean ignored = taken.add(turn);
        }

        Turn<K, V> turn(int index) {
            return taken.get(index);
        }

        @Override
        public DueEntry<K, V> get(int index) {
            KeyedEntry<K, V> entry = turn(index).entry();
            return new DueEntry<>(entry.key(), entry.value());
        }

        @Override
        public int size() {
            return taken.size();
        }
    }
}
