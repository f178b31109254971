package io.github.wheelscheduler.worker;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * 64 places for workers, with one bit each for "taken" and "idle", and the next set of slots.
 *
 * <p>Waking prefers low places, so the same few workers stay busy and those in high places become idle for long enough
 * to end. The two lowest take turns: a caller that waits for each run in turn is answered sooner, as a worker that has rested
 * rather starts on the caller's processor, which is about to be free, than on one that has gone to sleep.
 */
final class IdleSlots {

    private static final int PLACES = Long.SIZE;

    private final AtomicLong takenBits = new AtomicLong();
    private final AtomicLong idleBits = new AtomicLong();

    /** The idle bit that was claimed last, more or less. Any thread. */
    private long lastClaimed;

    private final AtomicReferenceArray<@Nullable Worker> workers = new AtomicReferenceArray<>(PLACES);
    private final AtomicReference<@Nullable IdleSlots> next = new AtomicReference<>();

    /** Takes the lowest free place, here or in a later set of slots. */
    Place takePlace() {
        for (IdleSlots slots = this; ; slots = slots.nextOrNew()) {
            long bits = slots.takenBits.get();
            while (bits != -1L) {
                int index = Long.numberOfTrailingZeros(~bits);
                if (slots.takenBits.compareAndSet(bits, bits | 1L << index)) {
                    return new Place(slots, index);
                }
                bits = slots.takenBits.get();
            }
        }
    }

    @Nullable
    IdleSlots next() {
        return next.get();
    }

    /**
     * Clears the idle bit of the lowest place, or of the second lowest if it was the lowest one's turn before, and returns its
     * worker, which the caller must wake; null if there is none here.
     */
    @Nullable
    Worker claimIdle() {
        long bits = idleBits.get();
        while (bits != 0) {
            long others = bits & (bits - 1);
            long bit = Long.lowestOneBit(bits);
            if (bit == lastClaimed && others != 0) {
                bit = Long.lowestOneBit(others);
            }
            if (idleBits.compareAndSet(bits, bits & ~bit)) {
                lastClaimed = bit;
                return workers.get(Long.numberOfTrailingZeros(bit));
            }
            bits = idleBits.get();
        }
        return null;
    }

    boolean hasIdle() {
        return idleBits.get() != 0;
    }

    @Nullable
    Worker worker(int index) {
        return workers.get(index);
    }

    static int places() {
        return PLACES;
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

    // Without lambdas, which the interpreter would allocate.

    private static void set(AtomicLong bits, long bit) {
        long seen = bits.get();
        while (!bits.compareAndSet(seen, seen | bit)) {
            seen = bits.get();
        }
    }

    /** Clears the bit and returns all bits from before. */
    private static long clear(AtomicLong bits, long bit) {
        long seen = bits.get();
        while (!bits.compareAndSet(seen, seen & ~bit)) {
            seen = bits.get();
        }
        return seen;
    }

    /** One worker's place in a set of slots. */
    static final class Place {

        private final IdleSlots slots;
        private final int index;
        private final long bit;

        Place(IdleSlots slots, int index) {
            this.slots = slots;
            this.index = index;
            this.bit = 1L << index;
        }

        void seat(Worker worker) {
            slots.workers.set(index, worker);
        }

        void leave() {
            slots.workers.set(index, null);
            clear(slots.takenBits, bit);
        }

        /** Says that the worker may be woken. A full fence. */
        void markIdle() {
            set(slots.idleBits, bit);
        }

        /** Takes the idle mark back; false if somebody has claimed it and so will wake, or has woken, the worker. */
        boolean unmarkIdle() {
            return (clear(slots.idleBits, bit) & bit) != 0;
        }
    }
}
