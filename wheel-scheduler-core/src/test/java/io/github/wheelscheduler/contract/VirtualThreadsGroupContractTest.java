package io.github.wheelscheduler.contract;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import io.github.wheelscheduler.testing.WorkerKind;
import org.junit.jupiter.api.AfterEach;

/** A group with a thread for each run under the contract of an executor; the threads are virtual where the JDK has them. */
class VirtualThreadsGroupContractTest extends WheelSubject {

    private final WheelScheduledExecutor executor =
            WheelScheduledExecutor.builder().build();
    private int groups;

    @Override
    WheelScheduledExecutorBuilder builder() {
        groups++;
        return executor.newGroup("group-" + groups).threadPerRun(WorkerKind.lightThreads());
    }

    @AfterEach
    void shutdownExecutor() {
        executor.shutdown();
    }
}
