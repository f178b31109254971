package io.github.wheelscheduler.sample;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** The same application without the wheel. */
@SpringBootTest(args = "--scheduler=spring", webEnvironment = WebEnvironment.NONE)
class SpringSchedulerTest {

    @Test
    void sampleRunsOnBootsSchedulerOnRequest(@Autowired TaskScheduler scheduler) {
        assertThat(scheduler).isExactlyInstanceOf(ThreadPoolTaskScheduler.class);
    }
}
