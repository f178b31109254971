package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.testing.LogCapture;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The category that applications set a log level for keeps its name. */
class TimersLogCategoryTest {

    private static final String ROOT = "io.github.wheelscheduler";

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
