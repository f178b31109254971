package io.github.wheelscheduler;

/** What still runs once the executor has been shut down. Writers: any thread. Readers: any, at every start of a run. */
final class ShutdownPolicies {

    private final RunState runState;
    private volatile boolean executeDelayed = true;
    private volatile boolean continuePeriodic;

    ShutdownPolicies(RunState runState) {
        this.runState = runState;
    }

    /** Whether the timer may start now; {@code handedOver} says that a worker has taken it before it was stopped. */
    boolean mayStart(ScheduledTimer<?> timer, boolean handedOver) {
        if (runState.isRunning()) {
            return true;
        }
        if (runState.isStopped()) {
            return handedOver;
        }
        return timer.isRepeating() ? continuePeriodic : handedOver || executeDelayed;
    }

    /** Whether a repeating timer may be armed again. */
    boolean mayRepeat() {
        return runState.isRunning() || (!runState.isStopped() && continuePeriodic);
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
