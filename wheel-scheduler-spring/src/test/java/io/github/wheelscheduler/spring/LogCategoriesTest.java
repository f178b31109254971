package io.github.wheelscheduler.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.LogCapture;
import org.junit.jupiter.api.Test;

/** What applications set log levels for keeps its name. */
class LogCategoriesTest {

    private static final String ROOT = "io.github.wheelscheduler";

    @Test
    void engineLogsUnderTheRootAndTheSchedulerBelowIt() {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        scheduler.setMode(SchedulerMode.HALTED);
        try (LogCapture log = LogCapture.of(ROOT)) {
            scheduler.initialize();
            assertThat(log.categories()).containsExactly(ROOT + ".spring.WheelTaskScheduler");
        } finally {
            scheduler.shutdown();
        }
    }
}
