package io.github.wheelscheduler;

import java.util.concurrent.locks.LockSupport;

/** The one door to monotonic time: reads it and waits for it. Tests come with a clock of their own. */
class MonotonicClock {

    /** Linux's default. */
    private static final long SLACK_NANOS = 50_000;

    /** Returns the time in nanoseconds, from an arbitrary origin; to be compared by difference. */
    long nanoTime() {
        return System.nanoTime();
    }

    /**
     * Returns by how much a sleep should be asked to end before its time, because it lasts that much longer anyway: the
     * slack that a kernel allows itself with timers. What is left of a sleep that is exact is short enough to be spun away.
     */
    long slackNanos() {
        return SLACK_NANOS;
    }

    /** Parks the calling thread for at most so many nanoseconds. */
    void parkNanos(Object blocker, long nanos) {
        LockSupport.parkNanos(blocker, nanos);
    }
}
