package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

class RunsInRealTimeTest extends BothTimesContract {

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();

    @Override
    WheelTaskScheduler scheduler() {
        scheduler.initialize();
        return scheduler;
    }

    @Override
    Instant now() {
        return Instant.now();
    }

    /** All runs have ended afterwards, and their futures are done. */
    @Override
    void awaitEnd(CountDownLatch end) throws InterruptedException {
        assertThat(end.await(60, TimeUnit.SECONDS)).isTrue();
        scheduler.setWaitForTasksToCompleteOnShutdown(true);
        scheduler.setAwaitTerminationSeconds(30);
        scheduler.shutdown();
    }

    @AfterEach
    void shutdown() {
        scheduler.shutdown();
    }
}
