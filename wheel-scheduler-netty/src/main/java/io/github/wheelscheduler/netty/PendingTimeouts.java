package io.github.wheelscheduler.netty;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The timeouts that have neither expired nor been cancelled: a stop returns them. Adding and removing need no memory. Any thread. */
final class PendingTimeouts {

    /** So many callers do not get into each other's way; a power of two. */
    private static final int LISTS = 16;

    private final long max;
    private final AtomicLong count = new AtomicLong();
    private final LinkedTimeouts[] lists = new LinkedTimeouts[LISTS];

    /**
     * @param max {@code Long.MAX_VALUE} for no bound
     */
    PendingTimeouts(long max) {
        this.max = max;
        for (int i = 0; i < LISTS; i++) {
            lists[i] = new LinkedTimeouts();
        }
    }

    /**
     * Adds a timeout.
     *
     * @throws RejectedExecutionException if there are as many as there may be, with the numbers
     */
    void add(WheelTimeout timeout) {
        long seen = count.get();
        while (seen < max) {
            if (count.compareAndSet(seen, seen + 1)) {
                boolean isAdded = false;
                try {
                    timeout.list = (int) seen & LISTS - 1;
                    lists[timeout.list].add(timeout);
                    isAdded = true;
                } finally {
                    // At the end of a stack, for one.
                    if (!isAdded) {
                        count.decrementAndGet();
                    }
                }
                return;
            }
            seen = count.get();
        }
        throw new RejectedExecutionException(
                "Timeout rejected, because max-pending-timeouts is " + max + ", and " + seen + " are pending");
    }

    /** Removes a timeout that has been ended, if it is still there: whoever has ended it may not have come that far. */
    void remove(WheelTimeout timeout) {
        if (lists[timeout.list].remove(timeout)) {
            count.decrementAndGet();
        }
    }

    long count() {
        return count.get();
    }

    /** Returns those that are pending now. */
    List<WheelTimeout> all() {
        List<WheelTimeout> all = new ArrayList<>();
        for (LinkedTimeouts list : lists) {
            list.addAllTo(all);
        }
        return all;
    }

    /** A list that is linked through its timeouts. */
    private static final class LinkedTimeouts {

        /** Guarded by this. */
        private @Nullable WheelTimeout first;

        synchronized void add(WheelTimeout timeout) {
            WheelTimeout second = first;
            timeout.next = second;
            if (second != null) {
                second.previous = timeout;
            }
            first = timeout;
            timeout.isListed = true;
        }

        /** Returns whether it was there. */
        synchronized boolean remove(WheelTimeout timeout) {
            if (!timeout.isListed) {
                return false;
            }
            timeout.isListed = false;
            WheelTimeout before = timeout.previous;
            WheelTimeout after = timeout.next;
            if (before == null) {
                first = after;
            } else {
                before.next = after;
            }
            if (after != null) {
                after.previous = before;
            }
            // Whoever keeps it keeps none of the others.
            timeout.previous = null;
            timeout.next = null;
            return true;
        }

        synchronized void addAllTo(List<WheelTimeout> all) {
            for (WheelTimeout timeout = first; timeout != null; timeout = timeout.next) {
                all.add(timeout);
            }
        }
    }
}
