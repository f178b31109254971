package io.github.wheelscheduler;

import java.util.concurrent.locks.LockSupport;

/**
 * Where an executor's monotonic time comes from: it reads it here, waits for it here, and knows no other. This is the machine's;
 * subclasses are for tests in virtual time.
 *
 * <p>All methods are called by any thread, and often.
 */
public class TimeSource {

    /** Linux's default. */
    private static final long SLACK_NANOS = 50_000;

    /** Creates the machine's. */
    public TimeSource() {}

    /** Returns the time in nanoseconds, from an arbitrary origin; to be compared by difference. Never goes back. */
    public long nanoTime() {
        return System.nanoTime();
    }

    /**
     * Returns by how many nanoseconds a sleep should be asked to end before its time, because it lasts that much longer anyway:
     * the slack that a kernel allows itself with timers. What is left of a sleep that is exact is short enough to be spun away.
     */
    public long slackNanos() {
        return SLACK_NANOS;
    }

    /**
     * Parks the calling thread for at most so many nanoseconds. It must return at once when the thread is unparked, and may
     * return for no reason.
     */
    public void parkNanos(Object blocker, long nanos) {
        LockSupport.parkNanos(blocker, nanos);
    }

    /**
     * Whether this time goes on only when it is moved, and stands still meanwhile; false here. Then no timer leaves the wheel
     * but what {@link WheelScheduledExecutor#allow} lets go, deadlines are kept to 8 ns for any tick, no wake-up is put off,
     * and the wall clock is looked at only when {@link WheelScheduledExecutor#checkWallClock} says so.
     */
    public boolean isVirtual() {
        return false;
    }

    /**
     * Takes what sums up in the log what a limit there holds back, as limits go by the time of the machine: here it lets go of that, since
     * the next line after a minute sums up. Where a test moves time, such a minute may never come, so it is run when the test has done so.
     */
    public void sumUpLater(Runnable summary) {}
}
