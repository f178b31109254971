package io.github.wheelscheduler.contract;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import io.github.wheelscheduler.testing.WorkerKind;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

@EnabledForJreRange(min = JRE.JAVA_21)
@OnlyParts({
    SubmissionContract.class,
    OrderContract.class,
    CancellationContract.class,
    InterruptContract.class,
    ShutdownContract.class,
    ShutdownNowContract.class,
    ConcurrencyContract.class
})
class VirtualThreadsContractTest extends WheelSubject {

    @Override
    WheelScheduledExecutorBuilder builder() {
        return WheelScheduledExecutor.builder().threadPerRun(WorkerKind.lightThreads());
    }

    /** Nothing: the thread that hands runs over comes with the first task. */
    @Override
    public Optional<ScheduledExecutorService> createWithThreadsOf(ThreadFactory factory) {
        return Optional.empty();
    }
}
