package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.spring.SchedulerMode;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.testing.LogCapture;
import java.time.Duration;
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

    @Test
    void timersForProgramsLogUnderTheRoot() {
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
        try (LogCapture log = LogCapture.of(ROOT)) {
            KeyedTimers<String, String> timers = KeyedTimers.<String, String>builder(executor, (key, value) -> {
                        throw new IllegalStateException("meant");
                    })
                    .build();
            timers.set("key", "value", Duration.ZERO);
            awaitThat(() -> !log.messages().isEmpty());
            assertThat(log.categories()).containsExactly(ROOT);
        } finally {
            executor.shutdownNow();
        }
    }
}
