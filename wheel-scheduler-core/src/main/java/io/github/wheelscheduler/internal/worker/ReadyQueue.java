package io.github.wheelscheduler.internal.worker;

import io.github.wheelscheduler.internal.PaddedLong;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Due runs, first in, first out: any thread adds, and any thread takes.
 *
 * <p>A ring holds them, so that nothing is allocated. The tick thread asks first how many it has {@linkplain #room
 * room} for; what it adds and does not fit all the same waits in a linked queue behind the ring. Others add only while
 * there is plenty of room. No call waits for another thread, but for {@link #pollAll}.
 */
final class ReadyQueue {

    /*
     *   ring    head: the next to take, claimed by CAS     tail: the next to fill, claimed by CAS
     *
     * A thread that moves the tail owns that cell: it notes the time and then fills the cell. The tail moves only over
     * a cell that is empty; a taker that is slow to empty its cell makes the ring look full, and no thread waits for
     * it.
     *
     * A thread that moves the head owns that cell: it takes the run out and then empties the cell. The head moves only
     * over a cell that is full. A thread that has moved the tail and not filled its cell yet hides those behind it: to
     * takers the queue looks empty until it has, and then signals; the question whether anything is under way goes by
     * the indices.
     *
     * The ring is filled only while the queue behind it is empty. What waits in that queue knows how many runs had been
     * put into the ring before it, and is taken only when those have been taken. So no run overtakes another, but for
     * one that another thread adds at that very moment.
     */

    static final int RING_SIZE = 4096;

    /** For a pool that is one of many; runs that do not fit wait behind the ring. */
    static final int SMALL_RING_SIZE = 256;

    /** The number of runs examined together; a power of two. */
    private static final int AHEAD = 8;

    /** The number of waits for an adding thread: in total several times as long as an operating system suspends it. */
    private static final int MAX_WAITS = 50_000;

    private static final long WAIT_NANOS = 20_000;

    /**
     * Cells through a handle, which compilers always inline. So compiled code calls nothing between moving the tail and
     * filling the cell; a call could run out of stack.
     */
    private static final VarHandle CELLS = MethodHandles.arrayElementVarHandle(Object[].class);

    private static final VarHandle TIMES = MethodHandles.arrayElementVarHandle(long[].class);

    static {
        // In code that is not compiled, too, every step has been linked before a caller takes it.
        ReadyQueue rehearsal = new ReadyQueue(4);
        boolean ignored = rehearsal.offer(() -> {}, 0);
        rehearsal.add(() -> {}, 0);
        rehearsal.pollAll().clear();
    }

    /** Holds runs. */
    private final @Nullable Object[] ring;

    private final int ringMask;

    /** When the run in the same cell expired. Written before the cell is filled, read before it is emptied. */
    private final long[] ringTimes;

    private final PaddedLong headIndex = new PaddedLong();
    private final PaddedLong tailIndex = new PaddedLong();

    /** The head at some time before. Any thread that adds; a value that is too small is as good. */
    private long headSeen;

    private final Queue<Waiting> overflow = new ConcurrentLinkedQueue<>();

    private final AtomicLong overflowCount = new AtomicLong();

    /** The number of runs put into the overflow queue so far. */
    private final AtomicLong overflowAdded = new AtomicLong();

    /** With a ring of that size, a power of two. */
    ReadyQueue(int ringSize) {
        this.ring = new Object[ringSize];
        this.ringMask = ringSize - 1;
        this.ringTimes = new long[ringSize];
    }

    /** Returns how many runs the ring has room for. Others may add meanwhile. */
    int room() {
        if (overflowCount.get() > 0) {
            return 0;
        }
        return Math.max(0, ringMask + 1 - (int) (tailIndex.get() - headIndex.get()));
    }

    int ringSize() {
        return ringMask + 1;
    }

    /** Adds a run that has expired at {@code expiredNanos}, whether there is room or not. Any thread. */
    void add(Runnable run, long expiredNanos) {
        if (overflowCount.get() > 0 || !addToRing(run, expiredNanos, ringSize())) {
            addToOverflow(run, expiredNanos);
        }
    }

    /** Adds a run if there is plenty of room: a quarter of the ring is left to the tick thread. Any thread. */
    boolean offer(Runnable run, long expiredNanos) {
        return overflowCount.get() == 0 && addToRing(run, expiredNanos, ringSize() - ringSize() / 4);
    }

    /** Adds a run if the ring holds fewer than {@code limit}. */
    private boolean addToRing(Runnable run, long expiredNanos, int limit) {
        while (true) {
            long tail = tailIndex.get();
            // A cell that is empty may be one that is still being filled, one turn before: the head tells.
            if (tail - headSeen >= limit) {
                headSeen = headIndex.get();
                if (tail - headSeen >= limit) {
                    return false;
                }
            }
            int cell = (int) tail & ringMask;
            if (CELLS.getAcquire(ring, cell) != null) {
                if (tailIndex.get() == tail) {
                    return false;
                }
            } else if (tailIndex.compareAndSet(tail, tail + 1)) {
                ringTimes[cell] = expiredNanos;
                CELLS.setRelease(ring, cell, run);
                return true;
            }
        }
    }

    private void addToOverflow(Runnable run, long expiredNanos) {
        // Counted first: a run that is in the queue is never overlooked.
        overflowCount.incrementAndGet();
        try {
            boolean ignored = overflow.add(new Waiting(run, expiredNanos, tailIndex.get()));
        } catch (Throwable ex) {
            overflowCount.decrementAndGet();
            throw ex;
        }
        overflowAdded.incrementAndGet();
    }

    /**
     * Takes the first run, or returns null if there is none. Any thread.
     *
     * @param taken receives the time at which the run expired
     */
    @Nullable
    Runnable poll(Taken taken) {
        while (true) {
            long head = headIndex.get();
            if (head < tailIndex.get()) {
                int cell = (int) head & ringMask;
                Runnable run = runIn(cell);
                if (run == null) {
                    if (headIndex.get() == head) {
                        return null;
                    }
                } else if (headIndex.compareAndSet(head, head + 1)) {
                    taken.expiredNanos = ringTimes[cell];
                    CELLS.setRelease(ring, cell, null);
                    return run;
                }
                continue;
            }
            Waiting waiting = overflowCount.get() > 0 ? overflow.peek() : null;
            if (waiting == null) {
                return null;
            }
            if (waiting.ringTail <= headIndex.get()) {
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
     * Shows the runs that come next, from time to time: reads that do not wait for each other fetch distant timers at
     * the same time, which starting them one after the other does not. Returns something that depends on all of them.
     */
    int touchAhead(Workers.Listener listener) {
        long head = headIndex.get();
        int touched = 0;
        if ((head & (AHEAD - 1)) == 0) {
            long end = Math.min(head + AHEAD, tailIndex.get());
            for (long next = head; next < end; next++) {
                touched += ring[(int) next & ringMask] instanceof Runnable run && listener.touch(run) ? 1 : 0;
            }
        }
        return touched;
    }

    /** Takes the runs that are in here now, in their order; waits for the ones that are being added at this moment. */
    List<Runnable> pollAll() {
        // Before a run is taken out, memory has been found for it.
        int capacity = Math.toIntExact(size());
        List<Runnable> all = new ArrayList<>(capacity);
        Taken taken = new Taken();
        int waits = 0;
        while (!isEmpty() && waits < MAX_WAITS && all.size() < capacity) {
            Runnable run = poll(taken);
            if (run == null) {
                waits++;
                LockSupport.parkNanos(this, WAIT_NANOS);
            } else {
                all.add(run);
            }
        }
        return all;
    }

    /** Whether there is nothing in here, nor being added. */
    boolean isEmpty() {
        return headIndex.get() >= tailIndex.get() && overflowCount.get() == 0;
    }

    /** Whether there is a run that can be taken: one that is being added counts when it has been. */
    boolean hasNext() {
        long head = headIndex.get();
        if (head < tailIndex.get()) {
            return CELLS.getAcquire(ring, (int) head & ringMask) != null || headIndex.get() != head;
        }
        return overflowCount.get() > 0;
    }

    long size() {
        long head = headIndex.get();
        return Math.max(0, tailIndex.get() - head) + overflowCount.get();
    }

    /** Returns about how long the first run has been waiting, 0 if none is. Any thread. */
    long oldestNanos(long nowNanos) {
        long head = headIndex.get();
        if (head < tailIndex.get()) {
            int cell = (int) head & ringMask;
            boolean isThere = CELLS.getAcquire(ring, cell) != null;
            long expiredNanos = (long) TIMES.getOpaque(ringTimes, cell);
            return isThere && headIndex.get() == head ? Math.max(0, nowNanos - expiredNanos) : 0;
        }
        Waiting waiting = overflow.peek();
        return waiting == null ? 0 : Math.max(0, nowNanos - waiting.expiredNanos);
    }

    /** Returns how many runs have been added so far. */
    long addedSoFar() {
        return tailIndex.get() + overflowAdded.get();
    }

    /** Returns about how many runs have been taken so far. */
    long takenSoFar() {
        return addedSoFar() - size();
    }

    /** Looks at every run that waits; one that is taken meanwhile may be looked at or not. */
    void forEach(Consumer<? super Runnable> action) {
        for (int cell = 0; cell <= ringMask; cell++) {
            Runnable run = runIn(cell);
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

    private @Nullable Runnable runIn(int cell) {
        return (Runnable) CELLS.getAcquire(ring, cell);
    }

    /** Details for a taker about the run; one for each taker. */
    static final class Taken {

        /** When the tick thread handed the run over, on its clock. */
        long expiredNanos;
    }

    /** A run behind the ring; the thread that takes it sets it to null, so that it is taken and counted once. */
    private static final class Waiting extends AtomicReference<@Nullable Runnable> {

        /** The number of runs put into the ring before. */
        private final long ringTail;

        private final long expiredNanos;

        Waiting(Runnable run, long expiredNanos, long ringTail) {
            super(run);
            this.expiredNanos = expiredNanos;
            this.ringTail = ringTail;
        }
    }
}
