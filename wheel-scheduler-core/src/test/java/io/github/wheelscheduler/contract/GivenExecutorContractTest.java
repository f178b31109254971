package io.github.wheelscheduler.contract;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

@OnlyParts({
    SubmissionContract.class,
    OrderContract.class,
    CancellationContract.class,
    InterruptContract.class,
    ShutdownContract.class,
    ShutdownNowContract.class,
    ConcurrencyContract.class
})
class GivenExecutorContractTest extends WheelSubject {

    private static ExecutorService given;

    @BeforeAll
    static void startGivenExecutor() {
        given = Executors.newCachedThreadPool();
    }

    @AfterAll
    static void stopGivenExecutor() {
        given.shutdownNow();
    }

    @Override
    WheelScheduledExecutorBuilder builder() {
        return WheelScheduledExecutor.builder().executor(given);
    }

    /** Nothing: the thread that hands runs over comes with the first task. */
    @Override
    public Optional<ScheduledExecutorService> createWithThreadsOf(ThreadFactory factory) {
        return Optional.empty();
    }
}
