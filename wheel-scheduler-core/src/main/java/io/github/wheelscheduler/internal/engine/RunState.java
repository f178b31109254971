package io.github.wheelscheduler.internal.engine;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The phase of an executor or a group: running, shut down, stopped, terminated; it only moves forward. And the tasks
 * that still run once it has been shut down. Writers: any thread. Readers: any, at every start of a run.
 */
public final class RunState {

    private static final int RUNNING = 0;
    private static final int SHUTDOWN = 1;
    private static final int STOPPED = 2;

    private final Hold hold;
    private final AtomicInteger state = new AtomicInteger(RUNNING);

    /** Opens when no thread is left. */
    public final CountDownLatch terminated = new CountDownLatch(1);

    volatile boolean executesDelayed = true;
    volatile boolean continuesPeriodic;

    /** Whether the end is waited for until {@link #lastDeadlineNanos} at most. Written after that. */
    private volatile boolean isLimited;

    private volatile long lastDeadlineNanos;

    RunState(Hold hold) {
        this.hold = hold;
    }

    /** Whether no new tasks are accepted. */
    public boolean isShutdown() {
        return state.get() >= SHUTDOWN;
    }

    /** Whether pending tasks are not run any more. */
    public boolean isStopped() {
        return state.get() >= STOPPED;
    }

    /** Returns whether this is the end of the running tasks. */
    boolean shutdown() {
        return advance(SHUTDOWN) == RUNNING;
    }

    /** As above. */
    boolean stop() {
        return advance(STOPPED) == RUNNING;
    }

    void terminate() {
        boolean ignored = stop();
        terminated.countDown();
    }

    /** Whether no thread is left. */
    public boolean isTerminated() {
        return terminated.getCount() == 0;
    }

    /** Returns the state before. */
    private int advance(int to) {
        // Without a lambda, which may need memory.
        int seen = state.get();
        while (seen < to && !state.compareAndSet(seen, to)) {
            seen = state.get();
        }
        return seen;
    }

    // Tasks that still run

    /** Whether the timer may start now; {@code handedOver} says that a worker has taken it before it was stopped. */
    boolean mayStart(ScheduledTimer<?> timer, boolean handedOver) {
        int seen = state.get();
        if (seen == RUNNING) {
            return true;
        }
        if (seen == STOPPED) {
            return handedOver;
        }
        if (!handedOver && !hold.isOpen() && !timer.runsAtOnce()) {
            return false;
        }
        // A timer whose deadline has come is not delayed any more, wherever it is.
        return timer.isRepeating()
                ? continuesPeriodic
                : handedOver || timer.getDelay(NANOSECONDS) <= 0 || (executesDelayed && !isTooLate(timer));
    }

    /** Whether a repeating timer may be armed again. */
    boolean mayRepeat() {
        int seen = state.get();
        return seen == RUNNING || (seen == SHUTDOWN && continuesPeriodic && hold.isOpen());
    }

    /** Ends the wait for delayed timers with a later deadline. */
    void setLastDeadlineNanos(long deadlineNanos) {
        lastDeadlineNanos = deadlineNanos;
        isLimited = true;
    }

    /** Whether the timer has its only run after the last deadline that is waited for. */
    boolean isTooLate(ScheduledTimer<?> timer) {
        return isLimited && !timer.isRepeating() && timer.deadlineNanos() - lastDeadlineNanos > 0;
    }

    public boolean executesDelayed() {
        return executesDelayed;
    }

    public boolean continuesPeriodic() {
        return continuesPeriodic;
    }
}
