package io.github.wheelscheduler;

import java.util.concurrent.locks.LockSupport;

/** The one door to monotonic time: reads it and waits for it. Tests come with a clock of their own. */
class MonotonicClock {

    /** Returns the time in nanoseconds, from an arbitrary origin; to be compared by difference. */
    long nanoTime() {
        return System.nanoTime();
    }

    /** Parks the calling thread for at most so many nanoseconds. */
    void parkNanos(Object blocker, long nanos) {
        LockSupport.parkNanos(blocker, nanos);
    }
}
