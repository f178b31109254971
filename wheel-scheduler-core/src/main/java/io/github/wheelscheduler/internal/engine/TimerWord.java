package io.github.wheelscheduler.internal.engine;

/**
 * The state word of a timer: the deadline, and in the three lowest bits the state.
 *
 * <pre>
 *   63 ......................... 3   2 .. 0
 *   deadline, rounded up to 8 ns     state
 * </pre>
 */
final class TimerWord {

    /** Pending: in the inbox or in the wheel. */
    static final int ARMED = 0;

    /** Pending: due, and on its way to a worker. */
    static final int READY = 1;

    static final int RUNNING = 2;

    /** Neither pending nor over: rejected, or given back by shutdownNow. */
    static final int RETURNED = 3;

    // From here on the timer is over.
    static final int DONE = 4;
    static final int CANCELLED = 5;

    /** Cancelled while running, and the interrupt is on its way. */
    static final int INTERRUPTING = 6;

    /** Cancelled while running, and the interrupt has been delivered. */
    static final int INTERRUPTED = 7;

    private static final long STATE_MASK = 7;

    private TimerWord() {}

    /** Returns the word for a deadline that is rounded up, so that it is never early. */
    static long of(long deadlineNanos, int state) {
        return ((deadlineNanos + STATE_MASK) & ~STATE_MASK) | state;
    }

    static long withState(long word, int state) {
        return (word & ~STATE_MASK) | state;
    }

    static long deadlineOf(long word) {
        return word & ~STATE_MASK;
    }

    static int stateOf(long word) {
        return (int) (word & STATE_MASK);
    }

    /** Returns how much later the deadline in the word is than the one that it was made of. */
    static int roundingOf(long deadlineNanos) {
        return (int) (-deadlineNanos & STATE_MASK);
    }
}
