package io.github.wheelscheduler.internal.worker;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * 64 slots for workers, with one bit each for "taken" and "idle", and the next set of slots.
 *
 * <p>Waking prefers low slots, so the same few workers stay busy and those in high slots become idle for long enough to
 * end. The two lowest take turns, which shortens the response for a caller that waits for each run. A worker that has
 * been idle tends to start on the caller's processor, which is about to be free, rather than on a sleeping one.
 */
final class IdleSlots {

    static final int SLOTS = Long.SIZE;

    final AtomicLong takenBits = new AtomicLong();
    final AtomicLong idleBits = new AtomicLong();

    /** The idle bit that was claimed last, more or less. Any thread. */
    private long lastClaimed;

    final AtomicReferenceArray<@Nullable Worker> workers = new AtomicReferenceArray<>(SLOTS);
    final AtomicReference<@Nullable IdleSlots> next = new AtomicReference<>();

    /** Creates a worker without a thread in the lowest free slot, here or in a later set. */
    Worker newWorker(ElasticPool pool) {
        for (IdleSlots slots = this; ; slots = slots.nextOrNew()) {
            long bits = slots.takenBits.get();
            while (bits != -1L) {
                long bit = Long.lowestOneBit(~bits);
                if (slots.takenBits.compareAndSet(bits, bits | bit)) {
                    return slots.newWorkerAt(bit, pool);
                }
                bits = slots.takenBits.get();
            }
        }
    }

    private Worker newWorkerAt(long bit, ElasticPool pool) {
        try {
            Worker worker = new Worker(pool, this, bit);
            workers.set(Long.numberOfTrailingZeros(bit), worker);
            return worker;
        } catch (Throwable ex) {
            boolean ignored = clear(takenBits, bit);
            throw ex;
        }
    }

    private IdleSlots nextOrNew() {
        IdleSlots existing = next.get();
        if (existing != null) {
            return existing;
        }
        IdleSlots created = new IdleSlots();
        IdleSlots other = next.compareAndExchange(null, created);
        return other == null ? created : other;
    }

    /**
     * Takes the idle mark from the worker in the lowest slot of the first set that has one, and returns the worker. It
     * takes the second lowest if the lowest had the previous turn. The caller must wake it. Null if none is idle.
     */
    @Nullable
    Worker claimIdle() {
        for (IdleSlots slots = this; slots != null; slots = slots.next.get()) {
            for (long bits = slots.idleBits.get(); bits != 0; bits = slots.idleBits.get()) {
                long others = bits & (bits - 1);
                long bit = Long.lowestOneBit(bits);
                if (bit == slots.lastClaimed && others != 0) {
                    bit = Long.lowestOneBit(others);
                }
                if (slots.idleBits.compareAndSet(bits, bits & ~bit)) {
                    slots.lastClaimed = bit;
                    return slots.workers.get(Long.numberOfTrailingZeros(bit));
                }
            }
        }
        return null;
    }

    boolean hasIdle() {
        for (IdleSlots slots = this; slots != null; slots = slots.next.get()) {
            if (slots.idleBits.get() != 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether the condition holds for a worker, here or in a later set; asks no further then. Looks at no free slot.
     */
    boolean anyWorker(Predicate<Worker> condition) {
        for (IdleSlots slots = this; slots != null; slots = slots.next.get()) {
            long bits = slots.takenBits.get();
            while (bits != 0) {
                long bit = Long.lowestOneBit(bits);
                Worker worker = slots.workers.get(Long.numberOfTrailingZeros(bit));
                if (worker != null && condition.test(worker)) {
                    return true;
                }
                // Those above it, with such as have come meanwhile.
                bits = slots.takenBits.get() & -bit & ~bit;
            }
        }
        return false;
    }

    /** Clears the bit; false if it was not set. Without a lambda, which the interpreter would allocate. */
    static boolean clear(AtomicLong bits, long bit) {
        long seen = bits.get();
        while (!bits.compareAndSet(seen, seen & ~bit)) {
            seen = bits.get();
        }
        return (seen & bit) != 0;
    }
}
