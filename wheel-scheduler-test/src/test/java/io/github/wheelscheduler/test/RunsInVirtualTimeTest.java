package io.github.wheelscheduler.test;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;

class RunsInVirtualTimeTest extends BothTimesContract {

    private final VirtualTime time = VirtualTime.create();

    @Override
    WheelTaskScheduler scheduler() {
        return time.newScheduler();
    }

    @Override
    Instant now() {
        return time.now();
    }

    @Override
    void awaitEnd(CountDownLatch end) {
        time.advanceUntil(() -> end.getCount() == 0, Duration.ofSeconds(10));
    }

    @AfterEach
    void close() {
        time.close();
    }
}
