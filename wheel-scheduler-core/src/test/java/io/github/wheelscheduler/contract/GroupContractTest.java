package io.github.wheelscheduler.contract;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import org.junit.jupiter.api.AfterEach;

/** A group under the contract of an executor. */
@OnlyParts({
    OrderContract.class,
    CancellationContract.class,
    PeriodicEndContract.class,
    ShutdownContract.class,
    ShutdownPolicyContract.class,
    ShutdownNowContract.class,
    RejectionContract.class,
    ConcurrencyContract.class,
    FewThreadsContract.class
})
class GroupContractTest extends WheelSubject {

    private final WheelScheduledExecutor executor =
            WheelScheduledExecutor.builder().build();
    private int groups;

    @Override
    WheelScheduledExecutorBuilder builder() {
        groups++;
        return executor.newGroup("group-" + groups);
    }

    @AfterEach
    void shutdownExecutor() {
        executor.shutdown();
    }
}
