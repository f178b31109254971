package io.github.wheelscheduler;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

/** What still runs once the executor has been shut down. Writers: any thread. Readers: any, at every start of a run. */
final class ShutdownPolicies {

    private final RunState runState;
    private final Hold hold;
    private volatile boolean executeDelayed = true;
    private volatile boolean continuePeriodic;

    /** Whether somebody waits for the end, until {@link #lastDeadlineNanos} at most. Written after that. */
    private volatile boolean isLimited;

    private volatile long lastDeadlineNanos;

    ShutdownPolicies(RunState runState, Hold hold) {
        this.runState = runState;
        this.hold = hold;
    }

    /** Whether the timer may start now; {@code handedOver} says that a worker has taken it before it was stopped. */
    boolean mayStart(ScheduledTimer<?> timer, boolean handedOver) {
        if (runState.isRunning()) {
            return true;
        }
        if (runState.isStopped()) {
            return handedOver;
        }
        if (!handedOver && !hold.isOpen() && !timer.runsAtOnce()) {
            return false;
        }
        // A timer whose deadline has come is not delayed any more, wherever it is.
        return timer.isRepeating()
                ? continuePeriodic
                : handedOver || timer.getDelay(NANOSECONDS) <= 0 || (executeDelayed && !isTooLate(timer));
    }

    /** Says that nobody waits for delayed timers with a later deadline. */
    void setLastDeadlineNanos(long deadlineNanos) {
        lastDeadlineNanos = deadlineNanos;
        isLimited = true;
    }

    /** Whether the timer has its only run when nobody waits for it any more. */
    boolean isTooLate(ScheduledTimer<?> timer) {
        return isLimited && !timer.isRepeating() && timer.deadlineNanos() - lastDeadlineNanos > 0;
    }

    /** Whether a repeating timer may be armed again. */
    boolean mayRepeat() {
        return runState.isRunning() || (!runState.isStopped() && continuePeriodic && hold.isOpen());
    }

    boolean executesDelayed() {
        return executeDelayed;
    }

    void setExecuteDelayed(boolean value) {
        executeDelayed = value;
    }

    boolean continuesPeriodic() {
        return continuePeriodic;
    }

    void setContinuePeriodic(boolean value) {
        continuePeriodic = value;
    }
}
