package io.github.wheelscheduler.wheel;

import org.jspecify.annotations.Nullable;

/**
 * Timers of a wheel whose time has come, and that wait for something else, in the order in which they came. They are in the wheel as
 * before: they can be removed, repositioned and swept out, and cost no more than a cell.
 */
public final class WaitingList {

    final Bucket bucket;

    WaitingList(Bucket bucket) {
        this.bucket = bucket;
    }

    /** Returns the timer that has waited longest, or null if none waits. */
    public @Nullable TimerNode peek() {
        return bucket.peek();
    }

    public boolean isEmpty() {
        return bucket.isEmpty();
    }

    /** Returns how many timers wait, those that are over and have not been given up included. */
    public long size() {
        return bucket.count();
    }
}
