package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.test.TestingYourApplicationTest.Application;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A mock of a scheduler beside one that is driven. */
@SpringBootTest(classes = {Application.class, MockedSchedulerInVirtualTimeTest.Mocked.class})
@AutoConfigureVirtualTime
class MockedSchedulerInVirtualTimeTest {

    @Configuration(proxyBeanMethods = false)
    static class Mocked {

        @Bean(defaultCandidate = false)
        WheelTaskScheduler mocked() {
            return new MockedScheduler();
        }
    }

    /** Answers as mocks do. */
    @SuppressWarnings({"serial", "NullAway"})
    private static final class MockedScheduler extends WheelTaskScheduler {

        @Override
        public TaskRegistry getTaskRegistry() {
            return null;
        }

        @Override
        public void initialize() {}
    }

    @Autowired
    VirtualTime time;

    @Autowired
    TestingYourApplicationTest.CleanUp cleanUp;

    @Test
    void timeGoesOnAndSaysWhatIsScheduled() {
        int runsBefore = cleanUp.runs();

        time.advanceBy(Duration.ofDays(7));

        assertThat(cleanUp.runs()).isGreaterThan(runsBefore);
        assertThat(time.toString()).contains("CleanUp.run");
    }
}
