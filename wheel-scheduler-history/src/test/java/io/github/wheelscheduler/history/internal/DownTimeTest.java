package io.github.wheelscheduler.history.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Crons that were due while no node was up. */
class DownTimeTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

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
            assertThat(before(downTime, start, scheduler)).isEmpty();

            bench.succeed("nightly");
            bench.pass(Duration.ofHours(1));
            bench.succeed("other");
            bench.writer.turn();
            bench.pass(Duration.ofHours(3));

            // At 12, 13 and 14.
            assertThat(before(downTime, start, scheduler))
                    .isEqualTo(Map.of("nightly", new DownTime.Missed(3, Instant.parse("2030-03-30T12:00:00Z"))));
            int folded = HistoryFolding.fold(bench.store.sql());
            assertThat(folded).isPositive();
            assertThat(before(new DownTime(bench.store), start, scheduler)).hasSize(1);
        } finally {
            scheduler.shutdown();
        }
    }

    /** Another node may run it at its time. */
    @Test
    void runThatIsStillToComeIsNotMissed() {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        scheduler.initialize();
        try (HistoryBench bench = new HistoryBench(HistoryDatabase.H2).atStart()) {
            Object ignored = scheduler
                    .getTaskRegistry()
                    .schedule("nightly", () -> {}, TaskSchedule.cron("0 0 * * * *", ZoneOffset.UTC));
            bench.succeed("nightly");
            bench.writer.turn();
            bench.pass(Duration.ofMinutes(20));

            DownTime downTime = new DownTime(bench.store);
            assertThat(before(downTime, bench.now.plus(Duration.ofMinutes(20)), scheduler))
                    .isEmpty();
            bench.pass(Duration.ofMinutes(20));
            assertThat(before(downTime, bench.now, scheduler)).hasSize(1);
        } finally {
            scheduler.shutdown();
        }
    }

    private static Map<String, DownTime.Missed> before(DownTime downTime, Instant start, WheelTaskScheduler scheduler) {
        TaskRegistry tasks = scheduler.getTaskRegistry();
        return downTime.before(start, tasks, tasks.ids(), ZoneOffset.UTC);
    }

    @Test
    void nightsOfACronAreCounted() {
        TaskSchedule nightly = TaskSchedule.cron("0 0 2 * * *", ZoneOffset.UTC);
        assertThat(between(nightly, "2026-03-01T02:00:00.5Z", "2026-03-01T23:00:00Z"))
                .isZero();
        assertThat(between(nightly, "2026-03-01T02:00:00.5Z", "2026-03-04T01:59:59Z"))
                .isEqualTo(2);
        assertThat(between(nightly, "2026-03-02T02:00:00Z", "2026-03-01T02:00:00Z"))
                .isZero();
    }

    @Test
    void nightWithoutThatHourIsNotCounted() {
        TaskSchedule nightly = TaskSchedule.cron("0 30 2 * * *", BERLIN);
        assertThat(between(nightly, "2026-03-28T01:31:00Z", "2026-03-30T00:29:00Z"))
                .isZero();
    }

    @Test
    void cronWithoutAZoneIsMeantInThatOfTheScheduler() {
        TaskSchedule nightly = TaskSchedule.cron("0 0 2 * * *");
        assertThat(between(nightly, "2026-03-01T01:30:00Z", "2026-03-02T00:30:00Z"))
                .isZero();
        assertThat(between(nightly, "2026-03-01T00:30:00Z", "2026-03-01T01:30:00Z"))
                .isEqualTo(1);
    }

    @Test
    void frequentCronIsLeftOut() {
        assertThat(between(TaskSchedule.cron("*/30 * * * * *", BERLIN), "2026-03-01T02:00:00Z", "2026-03-02T02:00:00Z"))
                .isZero();
    }

    private static long between(TaskSchedule schedule, String after, String until) {
        DownTime.Missed missed = DownTime.between(Instant.parse(after), Instant.parse(until), schedule, BERLIN);
        return missed == null ? 0 : missed.runs();
    }
}
