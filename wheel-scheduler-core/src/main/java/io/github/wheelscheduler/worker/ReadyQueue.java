package io.github.wheelscheduler.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Due runs, first in, first out: one thread adds, many take.
 *
 * <p>A ring holds them, so that nothing is allocated; whoever adds asks first how many it has {@linkplain #room room} for.
 * What does not fit all the same waits in a linked queue behind it. No call waits for another thread.
 */
final class ReadyQueue {

    /*
     *   ring    head: the next to take, claimed by CAS     tail: the next to fill, moved by the one producer
     *
     * Whoever moves the head owns that cell: it takes the run out and then empties the cell. The producer fills a cell only
     * if it is empty; a taker that is slow to empty its cell makes the ring look full, and nobody waits for it.
     *
     * The ring is filled only while the queue behind it is empty. What waits in that queue knows how many runs had been put
     * into the ring before it, and is taken only when those have been taken. So no run overtakes another.
     */

    private static final int RING_SIZE = 4096;

    /** So many runs are looked at together; a power of two. */
    private static final int AHEAD = 8;

    /** Far enough apart that they share no cache line. */
    private static final int HEAD = 16;

    private static final int TAIL = 32;
    private static final int INDICES = 48;

    private final AtomicReferenceArray<@Nullable Runnable> ring;
    private final int ringMask;

    /** When the run in the same cell expired. Written before the cell is filled, read before it is emptied. */
    private final AtomicLongArray ringTimes;

    private final AtomicLongArray indices = new AtomicLongArray(INDICES);
    private final Queue<Waiting> overflow = new ConcurrentLinkedQueue<>();

    private final AtomicLong overflowCount = new AtomicLong();
    private final LongAdder returned = new LongAdder();

    /** The number of calls of {@link #add}; one writer. */
    private final AtomicLong added = new AtomicLong();

    ReadyQueue() {
        this(RING_SIZE);
    }

    /** For tests: with a ring of another size, a power of two. */
    ReadyQueue(int ringSize) {
        this.ring = new AtomicReferenceArray<>(ringSize);
        this.ringMask = ringSize - 1;
        this.ringTimes = new AtomicLongArray(ringSize);
    }

    /** Returns how many runs the ring has room for. By the thread that adds; others can only make it more. */
    int room() {
        if (overflowCount.get() > 0) {
            return 0;
        }
        return ringMask + 1 - (int) (indices.getPlain(TAIL) - indices.get(HEAD));
    }

    int ringSize() {
        return ringMask + 1;
    }

    /** Adds a run that has expired at {@code expiredNanos}. One thread only. */
    void add(Runnable run, long expiredNanos) {
        if (overflowCount.get() > 0 || !addToRing(run, expiredNanos)) {
            addToOverflow(run, expiredNanos);
        }
        added.setRelease(added.getPlain() + 1);
    }

    private boolean addToRing(Runnable run, long expiredNanos) {
        long tail = indices.getPlain(TAIL);
        int cell = (int) tail & ringMask;
        if (ring.getAcquire(cell) != null) {
            return false;
        }
        ringTimes.setPlain(cell, expiredNanos);
        ring.setRelease(cell, run);
        indices.setRelease(TAIL, tail + 1);
        return true;
    }

    /** Adds a run that has been taken and not started, behind all others. Any thread. */
    void addBack(Runnable run, long expiredNanos) {
        addToOverflow(run, expiredNanos);
        returned.increment();
    }

    private void addToOverflow(Runnable run, long expiredNanos) {
        // Counted first: a run that is in the queue is never overlooked.
        overflowCount.incrementAndGet();
        boolean done = false;
        try {
            done = overflow.add(new Waiting(run, expiredNanos, indices.get(TAIL)));
        } finally {
            if (!done) {
                overflowCount.decrementAndGet();
            }
        }
    }

    /**
     * Takes the first run, or returns null if there is none. Any thread.
     *
     * @param taken is told when the run expired
     */
    @Nullable
    Runnable poll(Taken taken) {
        while (true) {
            long head = indices.get(HEAD);
            if (head < indices.get(TAIL)) {
                if (indices.compareAndSet(HEAD, head, head + 1)) {
                    return takeOut((int) head & ringMask, taken);
                }
                continue;
            }
            Waiting waiting = overflowCount.get() > 0 ? overflow.peek() : null;
            if (waiting == null) {
                return null;
            }
            if (waiting.ringTail <= indices.get(HEAD)) {
                Runnable run = waiting.getAndSet(null);
                boolean ignored = overflow.remove(waiting);
                if (run != null) {
                    overflowCount.decrementAndGet();
                    taken.expiredNanos = waiting.expiredNanos;
                    return run;
                }
            }
        }
    }

    /**
     * Shows the runs that come next, from time to time: reads that do not wait for each other fetch distant timers at the
     * same time, which starting them one after the other does not. Returns something that depends on all of them.
     */
    int touchAhead(Predicate<? super Runnable> touch) {
        long head = indices.get(HEAD);
        int touched = 0;
        if ((head & (AHEAD - 1)) == 0) {
            long end = Math.min(head + AHEAD, indices.get(TAIL));
            for (long next = head; next < end; next++) {
                Runnable run = ring.getPlain((int) next & ringMask);
                touched += run != null && touch.test(run) ? 1 : 0;
            }
        }
        return touched;
    }

    private @Nullable Runnable takeOut(int cell, Taken taken) {
        Runnable run = ring.getAcquire(cell);
        taken.expiredNanos = ringTimes.getPlain(cell);
        ring.setRelease(cell, null);
        return run;
    }

    /** Takes all runs. */
    List<Runnable> pollAll() {
        List<Runnable> all = new ArrayList<>();
        Taken taken = new Taken();
        for (Runnable run = poll(taken); run != null; run = poll(taken)) {
            all.add(run);
        }
        return all;
    }

    boolean isEmpty() {
        return indices.get(HEAD) >= indices.get(TAIL) && overflowCount.get() == 0;
    }

    long size() {
        long head = indices.get(HEAD);
        return Math.max(0, indices.get(TAIL) - head) + overflowCount.get();
    }

    /** Returns about how long the first run has been waiting, 0 if none is. Any thread. */
    long oldestNanos(long nowNanos) {
        long head = indices.get(HEAD);
        if (head < indices.get(TAIL)) {
            long expiredNanos = ringTimes.getOpaque((int) head & ringMask);
            return indices.get(HEAD) == head ? Math.max(0, nowNanos - expiredNanos) : 0;
        }
        Waiting waiting = overflow.peek();
        return waiting == null ? 0 : Math.max(0, nowNanos - waiting.expiredNanos);
    }

    /** Returns how many runs have been added so far. */
    long addedSoFar() {
        return added.get() + returned.sum();
    }

    /** Returns about how many runs have been taken so far. */
    long takenSoFar() {
        return addedSoFar() - size();
    }

    /** Looks at every run that waits; one that is taken meanwhile may be looked at or not. */
    void forEach(Consumer<? super Runnable> action) {
        for (int cell = 0; cell <= ringMask; cell++) {
            Runnable run = ring.getAcquire(cell);
            if (run != null) {
                action.accept(run);
            }
        }
        for (Waiting waiting : overflow) {
            Runnable run = waiting.get();
            if (run != null) {
                action.accept(run);
            }
        }
    }

    /** What a taker is told beside the run; one for each taker. */
    static final class Taken {

        /** When the tick thread handed the run over, on its clock. */
        long expiredNanos;
    }

    /** A run behind the ring; whoever takes it sets it to null, so that it is taken and counted once. */
    private static final class Waiting extends AtomicReference<@Nullable Runnable> {

        /** So many runs had been put into the ring before. */
        private final long ringTail;

        private final long expiredNanos;

        Waiting(Runnable run, long expiredNanos, long ringTail) {
            super(run);
            this.expiredNanos = expiredNanos;
            this.ringTail = ringTail;
        }
    }
}
