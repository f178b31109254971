package io.github.wheelscheduler.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In Berlin, clocks go forward from 2:00 to 3:00 on 31 March 2030, and back on 27 October. */
class SkippedRunsTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final Instant DAY_BEFORE = Instant.parse("2030-03-30T12:00:00Z");

    private static List<LocalDateTime> skipped(String cron, String... upcoming) {
        List<Instant> runs = List.of(upcoming).stream().map(Instant::parse).toList();
        return SkippedRuns.of(TaskSchedule.cron(cron), BERLIN, DAY_BEFORE, runs);
    }

    @Test
    void timeThatDoesNotExistIsSkipped() {
        assertThat(skipped("0 30 2 * * *", "2030-04-01T00:30:00Z"))
                .containsExactly(LocalDateTime.parse("2030-03-31T02:30:00"));
    }

    @Test
    void runThatIsShiftedIsNotSkipped() {
        assertThat(skipped("0 30 2 * * *", "2030-03-31T01:30:00Z", "2030-04-01T00:30:00Z"))
                .isEmpty();
    }

    @Test
    void runOfEachHourIsNotSkipped() {
        assertThat(skipped("0 0 * * * *", "2030-03-31T00:00:00Z", "2030-03-31T01:00:00Z", "2030-03-31T02:00:00Z"))
                .isEmpty();
    }

    @Test
    void changeAfterTheLastRunIsNotLookedAt() {
        assertThat(skipped("0 30 2 * * *", "2030-03-31T00:00:00Z")).isEmpty();
        assertThat(SkippedRuns.of(TaskSchedule.cron("0 30 2 * * *"), null, DAY_BEFORE, List.of(DAY_BEFORE)))
                .isEmpty();
    }
}
