package io.github.wheelscheduler.soak;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Takes all the memory there is, for a while. */
final class MemoryPressure {

    private static final int[] LENGTHS = {1 << 17, 1 << 12, 1 << 7, 4};
    private static final long REFILL_NANOS = 2 * Nap.MILLI;

    /** The latest array; its first element is the one before. Volatile so that it is held indeed. */
    private volatile Object @Nullable [] held;

    /** Fills the heap, keeps it full for so long, and lets go of everything. */
    void holdFor(long nanos) {
        try {
            fill(nanos);
            long startNanos = System.nanoTime();
            while (System.nanoTime() - startNanos < nanos) {
                LockSupport.parkNanos(REFILL_NANOS);
                fill(nanos);
            }
        } finally {
            held = null;
        }
    }

    /** Takes what there is, but ends when others let go of more and more for too long. */
    private void fill(long limitNanos) {
        long startNanos = System.nanoTime();
        for (int length : LENGTHS) {
            try {
                while (System.nanoTime() - startNanos < limitNanos) {
                    Object[] added = new Object[length];
                    added[0] = held;
                    held = added;
                }
            } catch (OutOfMemoryError ex) {
                // That is what it is here for; the next ones are smaller.
            }
        }
    }
}
