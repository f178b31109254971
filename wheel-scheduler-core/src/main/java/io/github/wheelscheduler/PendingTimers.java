package io.github.wheelscheduler;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the timers that are pending: in the inbox, in the wheel, or ready. Each move of a timer's state that makes it
 * pending or ends that is counted once, by whoever made the move; so the count is exact at rest.
 *
 * <p>With a bound, every timer needs a permit. A repeating timer keeps it through its runs, so that it can always be armed
 * again.
 */
final class PendingTimers {

    private final LongAdder added = new LongAdder();
    private final LongAdder removed = new LongAdder();
    private final long max;

    /** Only where there is a bound. */
    private final @Nullable AtomicLong permitsInUse;

    PendingTimers(long max) {
        this.max = max;
        this.permitsInUse = max == Long.MAX_VALUE ? null : new AtomicLong();
    }

    /** Takes a permit if there is one. */
    boolean tryAcquire() {
        if (permitsInUse == null) {
            return true;
        }
        long seen = permitsInUse.get();
        while (seen < max) {
            if (permitsInUse.compareAndSet(seen, seen + 1)) {
                return true;
            }
            seen = permitsInUse.get();
        }
        return false;
    }

    void release() {
        if (permitsInUse != null) {
            permitsInUse.decrementAndGet();
        }
    }

    void added() {
        added.increment();
    }

    void removed() {
        removed.increment();
    }

    long count() {
        // What is removed was added before: in this order the difference is never negative.
        long gone = removed.sum();
        return Math.max(0, added.sum() - gone);
    }

    long max() {
        return max;
    }

    /** Returns how many permits are in use; the pending count where there is no bound. */
    long inUse() {
        return permitsInUse == null ? count() : permitsInUse.get();
    }
}
