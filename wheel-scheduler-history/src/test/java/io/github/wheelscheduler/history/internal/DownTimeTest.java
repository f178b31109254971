package io.github.wheelscheduler.history.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Crons that were due while no node was up. */
class DownTimeTest {

    @ParameterizedTest
    @EnumSource
    void lastRowOfAnyTaskBeginsTheDownTime(HistoryDatabase database) {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        scheduler.initialize();
        try (HistoryBench bench = new HistoryBench(database).atStart()) {
            Object ignored = scheduler
                    .getTaskRegistry()
                    .schedule("nightly", () -> {}, TaskSchedule.cron("0 0 * * * *", ZoneOffset.UTC));
            DownTime downTime = new DownTime(bench.store);
            Instant start = HistoryBench.START.plus(Duration.ofHours(4));
            assertThat(downTime.before(start, scheduler.getTaskRegistry())).isEmpty();

            bench.succeed("nightly");
            bench.pass(Duration.ofHours(1));
            bench.succeed("other");
            bench.writer.turn();
            bench.pass(Duration.ofHours(3));

            // At 12, 13 and 14.
            assertThat(downTime.before(start, scheduler.getTaskRegistry()))
                    .isEqualTo(Map.of("nightly", new DownTime.Missed(3, Instant.parse("2030-03-30T12:00:00Z"))));
            int folded = HistoryFolding.fold(bench.store.sql());
            assertThat(folded).isPositive();
            assertThat(downTime.before(start, scheduler.getTaskRegistry())).hasSize(1);
        } finally {
            scheduler.shutdown();
        }
    }
}
