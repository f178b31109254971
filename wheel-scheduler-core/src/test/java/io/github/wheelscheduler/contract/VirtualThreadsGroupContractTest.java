package io.github.wheelscheduler.contract;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import io.github.wheelscheduler.testing.WorkerKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** A group with a virtual thread for each run under the contract of an executor. */
@EnabledForJreRange(min = JRE.JAVA_21)
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
