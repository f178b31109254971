package io.github.wheelscheduler;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The source of an executor's monotonic time, which it only reads and waits for here. This class uses the machine's
 * time; subclasses are for tests in virtual time.
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
     * Returns by how many nanoseconds a sleep should be shortened, because it lasts that much longer anyway: the
     * kernel's timer slack. The rest of an exact sleep is short enough to spin.
     */
    public long slackNanos() {
        return SLACK_NANOS;
    }

    /**
     * Parks the calling thread for at most the given time. It must return at once when the thread is unparked, and may
     * return for no reason.
     */
    public void parkNanos(Object blocker, long nanos) {
        LockSupport.parkNanos(blocker, nanos);
    }

    /**
     * Whether this time advances only when it is moved; false here. In virtual time only
     * {@link WheelScheduledExecutor#allow} releases timers from the wheel. Deadlines are exact to 8 ns for any tick,
     * and wake-ups are not coalesced. The wall clock is read only on {@link WheelScheduledExecutor#checkWallClock}.
     */
    public boolean isVirtual() {
        return false;
    }

    /**
     * Accepts a task that logs a summary of lines suppressed by a log limit. Limits use the machine's time, so here the
     * task is ignored: the next line after a minute has the summary. In a test that moves time, that minute may never
     * pass, so virtual time runs the task after each move.
     */
    public void sumUpLater(Runnable summary) {}

    /**
     * Returns where a poller adds itself in virtual time, and takes itself away; null here, where it polls by itself.
     * Any thread may change the list and read it.
     */
    public @Nullable List<Poller> pollers() {
        return null;
    }

    /**
     * Lets so much time pass for a caller that has to wait for what others do: here it parks. In virtual time it moves
     * time where the caller may, and otherwise parks as well.
     */
    public void pass(Object blocker, long nanos) {
        LockSupport.parkNanos(blocker, nanos);
    }

    /**
     * Polls for something that no timer knows of, such as rows of a database. In virtual time it does so when it is
     * called, so that time may jump to when something is due. All methods are called on the thread that moves time,
     * while nothing runs.
     */
    public interface Poller {

        /** A test is about to move time: attempts that have failed may succeed now. */
        void begin();

        /**
         * Returns when it is to poll next, as {@link #nanoTime} returns the time; {@code Long.MAX_VALUE} for not before
         * something has run.
         */
        long nextNanos();

        /** Returns when the first is due of what it starts; {@code Long.MAX_VALUE} if nothing is there. */
        long dueNanos();

        /**
         * Begins to say to others that it is alive, if that is due, as one of them is about to poll; returns before
         * that is done, or false.
         */
        boolean beat();

        /** Begins the first of what it has to do now; returns before that is done, or false if there is nothing. */
        boolean poll();
    }
}
