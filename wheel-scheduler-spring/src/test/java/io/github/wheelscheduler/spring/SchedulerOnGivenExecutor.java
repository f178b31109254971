package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.WheelScheduledExecutor;
import java.util.concurrent.ScheduledExecutorService;

/** A scheduler on an executor that a test brings along, such as one in virtual time. Not to be initialized. */
public final class SchedulerOnGivenExecutor extends WheelTaskScheduler {

    private static final long serialVersionUID = 1;

    public SchedulerOnGivenExecutor(WheelScheduledExecutor executor) {
        observe(executor);
    }

    @Override
    public ScheduledExecutorService getScheduledExecutor() {
        return getWheelScheduledExecutor();
    }
}
