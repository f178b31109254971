package io.github.wheelscheduler.contract;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

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
}
