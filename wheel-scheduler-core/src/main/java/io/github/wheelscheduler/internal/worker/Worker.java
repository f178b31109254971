package io.github.wheelscheduler.internal.worker;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One thread of the elastic pool. */
final class Worker implements Runnable {

    /** Waits, or looks for a reason not to. */
    static final int IDLE = 0;

    /** Is about to take a run, if the pool is open: a thread that closes the pool waits this out. */
    static final int TAKING = 1;

    /** Has taken a run; it counts as started. */
    static final int RUNNING = 2;

    private final ElasticPool pool;
    private final IdleSlots slots;

    /** Claimed once it is counted: a factory may start the thread itself, more than once, or before that. */
    final ThreadStart start = new ThreadStart();

    /** Its bit in the sets of the slots. */
    private final long bit;

    /** It is counted no more and ends. This worker only. */
    boolean hasLeft;

    /** Keeps the compiler from leaving out reads whose result is not needed. This worker only. */
    int touched;

    /** Writer: this worker. Readers: pause, stop, counts. Volatile: written before the pool's flags are read. */
    volatile int phase = IDLE;

    /** It was in a run when the pool was stopped, which is its last one. Writers: threads that stop the pool. */
    volatile boolean wasInterrupted;

    /** All consequences of the end of a run have been handled before it. This worker only. */
    boolean hasLeftEarly;

    /** Details from the ready queue about the run that was taken last. This worker only. */
    final ReadyQueue.Taken taken = new ReadyQueue.Taken();

    /** The run that is active, if runs are observed. Writer: this worker. Readers: watchdogs. */
    private final AtomicReference<@Nullable Runnable> current = new AtomicReference<>();

    /** Since when, on the pool's clock; written before {@link #current}. */
    private final AtomicLong startedNanos = new AtomicLong();

    /** Writers: the thread that creates it, before it starts; this worker. */
    @Nullable
    volatile Thread thread;

    Worker(ElasticPool pool, IdleSlots slots, long bit) {
        this.pool = pool;
        this.slots = slots;
        this.bit = bit;
    }

    /** Says that the worker may be woken. A full fence. */
    void markIdle() {
        long seen = slots.idleBits.get();
        while (!slots.idleBits.compareAndSet(seen, seen | bit)) {
            seen = slots.idleBits.get();
        }
    }

    /** Takes the idle mark back; false if it has been claimed: then the worker will be woken, or has been. */
    boolean unmarkIdle() {
        return IdleSlots.clear(slots.idleBits, bit);
    }

    /** Frees its slot for another worker. */
    void leaveSlot() {
        slots.workers.set(Long.numberOfTrailingZeros(bit), null);
        boolean ignored = IdleSlots.clear(slots.takenBits, bit);
    }

    /** Shows the run that is active to watchdogs. No thread waits for this, so it needs no fence. */
    void show(Runnable run, long nowNanos) {
        startedNanos.setOpaque(nowNanos);
        current.setRelease(run);
    }

    void showNothing() {
        current.setRelease(null);
    }

    void showTo(Workers.RunningVisitor visitor) {
        Runnable run = current.getAcquire();
        Thread running = thread;
        if (run != null && running != null) {
            visitor.visit(run, running, startedNanos.getOpaque());
        }
    }

    @Override
    public void run() {
        if (start.begin()) {
            thread = Thread.currentThread();
            SeparateFrame.work(pool, this);
        }
    }
}
