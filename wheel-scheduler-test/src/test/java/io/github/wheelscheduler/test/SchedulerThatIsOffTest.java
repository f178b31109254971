package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.test.TestingYourApplicationTest.Application;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** Beside {@link TestingYourApplicationTest}, whose context is another one, with a time of its own. */
@SpringBootTest(classes = Application.class, properties = "wheel.scheduler.mode=off")
@AutoConfigureVirtualTime
class SchedulerThatIsOffTest {

    @Autowired
    VirtualTime time;

    @Autowired
    TestingYourApplicationTest.CleanUp cleanUp;

    @Test
    void nothingRuns() {
        time.advanceBy(Duration.ofDays(7));

        assertThat(cleanUp.runs()).isZero();
    }
}
