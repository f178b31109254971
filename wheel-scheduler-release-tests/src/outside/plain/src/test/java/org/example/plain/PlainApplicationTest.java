package org.example.plain;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.scheduling.TaskScheduler;

@SpringBootTest
class PlainApplicationTest {

    @Autowired
    TaskScheduler scheduler;

    @Autowired
    CountDownLatch beats;

    @Test
    void scheduledMethodRunsOnTheWheel() throws InterruptedException {
        assertThat(scheduler).isInstanceOf(WheelTaskScheduler.class);
        assertThat(beats.await(30, SECONDS)).isTrue();
    }
}
