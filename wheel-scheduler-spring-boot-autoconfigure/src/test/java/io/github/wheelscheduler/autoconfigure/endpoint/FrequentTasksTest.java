package io.github.wheelscheduler.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FrequentTasksTest {

    private static final Instant NOW = Instant.parse("2030-01-03T02:58:30Z");

    @ParameterizedTest
    @CsvSource({
        "0 */5 * * * *, true",
        "0 * * * * *, true",
        "0 */10 * * * *, false",
        "0 0 * * * *, false",
        "0 0 3 * * *, false",
        // A night's task that runs twice in a minute is no frequent one.
        "'0,30 0 3 * * *', false",
        "* * 3 * * *, true",
        "0 0 0 30 2 *, false",
    })
    void cronIsFrequentByItsRunsInADay(String cron, boolean isFrequent) {
        assertThat(FrequentTasks.isFrequent(TaskSchedule.cron(cron, ZoneOffset.UTC), NOW))
                .isEqualTo(isFrequent);
    }

    @Test
    void rateIsFrequentBelowTenMinutes() {
        assertThat(FrequentTasks.isFrequent(TaskSchedule.fixedRate(Duration.ofSeconds(599)), NOW))
                .isTrue();
        assertThat(FrequentTasks.isFrequent(TaskSchedule.fixedDelay(Duration.ofMinutes(10)), NOW))
                .isFalse();
        assertThat(FrequentTasks.isFrequent(TaskSchedule.once(NOW), NOW)).isFalse();
    }
}
