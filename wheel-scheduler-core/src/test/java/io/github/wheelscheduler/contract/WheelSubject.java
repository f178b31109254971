package io.github.wheelscheduler.contract;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;

/** Our executor under the contract, with the workers that a subclass chooses. */
abstract class WheelSubject extends ScheduledExecutorServiceContract {

    /** Returns a builder with the workers under test. */
    abstract WheelScheduledExecutorBuilder builder();

    @Override
    public ScheduledExecutorService create() {
        return builder().build();
    }

    @Override
    public Optional<ScheduledExecutorService> createWithOneWorker() {
        return Optional.of(builder().maxWorkers(1).build());
    }

    @Override
    public Optional<ScheduledExecutorService> createWithThreadsOf(ThreadFactory factory) {
        return Optional.of(builder()
                .threadFactory(factory)
                .workerKeepAlive(Duration.ofMillis(1))
                .build());
    }

    @Override
    public long countDue(ScheduledExecutorService executor) {
        return ((WheelScheduledExecutor) executor).readyCount();
    }

    @Override
    public void setExecuteExistingDelayedTasksAfterShutdownPolicy(ScheduledExecutorService executor, boolean execute) {
        ((WheelScheduledExecutor) executor).setExecuteExistingDelayedTasksAfterShutdownPolicy(execute);
    }

    @Override
    public void setContinueExistingPeriodicTasksAfterShutdownPolicy(
            ScheduledExecutorService executor, boolean proceed) {
        ((WheelScheduledExecutor) executor).setContinueExistingPeriodicTasksAfterShutdownPolicy(proceed);
    }
}
