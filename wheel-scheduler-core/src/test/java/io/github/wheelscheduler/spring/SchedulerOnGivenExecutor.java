package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.WheelScheduledExecutor;

/** A scheduler on an executor that a test brings along, such as one in virtual time. Not to be initialized. */
public final class SchedulerOnGivenExecutor extends WheelTaskScheduler {

    private static final long serialVersionUID = 1;

    private final transient WheelScheduledExecutor executor;

    public SchedulerOnGivenExecutor(WheelScheduledExecutor executor) {
        this.executor = executor;
        SchedulerObservation observation = new SchedulerObservation(
                "Scheduler in a test: ",
                executor,
                getLateness(),
                WarningLimits.defaults(),
                new PauseGate(),
                Thread::new);
        getTaskRegistry().setOverrunListener(observation);
        executor.setRunObserver(observation);
    }

    @Override
    public WheelScheduledExecutor getWheelScheduledExecutor() {
        return executor;
    }
}
