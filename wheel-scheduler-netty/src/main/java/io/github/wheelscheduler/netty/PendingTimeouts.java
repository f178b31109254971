package io.github.wheelscheduler.netty;

import io.github.wheelscheduler.internal.Limit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the timeouts that have neither expired nor been cancelled, for a stop. Adding and removing need no memory. Any
 * thread.
 */
final class PendingTimeouts {

    /** The number of callers that do not contend; a power of two. */
    private static final int LISTS = 16;

    private final Limit limit;
    private final LinkedTimeouts[] lists = new LinkedTimeouts[LISTS];

    /**
     * Creates empty ones.
     *
     * @param max {@code Long.MAX_VALUE} for no bound
     */
    PendingTimeouts(long max) {
        this.limit = new Limit(max);
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
        if (!limit.tryTake()) {
            throw new RejectedExecutionException("Timeout rejected, because max-pending-timeouts is " + limit.max()
                    + ", and " + limit.max() + " are pending");
        }
        try {
            timeout.list = (int) Thread.currentThread().getId() & LISTS - 1;
            lists[timeout.list].add(timeout);
        } catch (Throwable ex) {
            // At the end of a stack, for one.
            limit.giveBack();
            throw ex;
        }
    }

    /** Removes a timeout that has been ended, if it is still there: its stop may have removed it before. */
    void remove(WheelTimeout timeout) {
        if (lists[timeout.list].remove(timeout)) {
            limit.giveBack();
        }
    }

    /** Returns how many are pending, never more than there may be; without a bound it is exact while nothing moves. */
    long count() {
        if (limit.isBounded()) {
            return limit.taken();
        }
        long count = 0;
        for (LinkedTimeouts list : lists) {
            count += list.size();
        }
        return count;
    }

    /** Returns the timeouts that are pending now. */
    List<WheelTimeout> all() {
        List<WheelTimeout> all = new ArrayList<>();
        for (LinkedTimeouts list : lists) {
            list.addAllTo(all);
        }
        return all;
    }

    /** A list that is linked through its timeouts. */
    private static final class LinkedTimeouts {

        /** Guarded by this, as what follows. */
        private @Nullable WheelTimeout first;

        private int size;

        synchronized void add(WheelTimeout timeout) {
            WheelTimeout second = first;
            timeout.next = second;
            if (second != null) {
                second.previous = timeout;
            }
            first = timeout;
            timeout.isListed = true;
            size++;
        }

        /** Returns whether it was there. */
        synchronized boolean remove(WheelTimeout timeout) {
            if (!timeout.isListed) {
                return false;
            }
            timeout.isListed = false;
            size--;
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
            // A timeout that its user keeps keeps none of the others.
            timeout.previous = null;
            timeout.next = null;
            return true;
        }

        synchronized int size() {
            return size;
        }

        synchronized void addAllTo(List<WheelTimeout> all) {
            for (WheelTimeout timeout = first; timeout != null; timeout = timeout.next) {
                all.add(timeout);
            }
        }
    }
}
