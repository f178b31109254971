package io.github.wheelscheduler.history.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** The number of runs that a schedule names while no node is up. */
class MissedAtStartTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private static long between(TaskSchedule schedule, String last, String start) {
        return MissedAtStart.between(schedule, Instant.parse(last), Instant.parse(start), ZoneOffset.UTC);
    }

    @Test
    void nightsOfACronAreCounted() {
        TaskSchedule nightly = TaskSchedule.cron("0 0 2 * * *", ZoneOffset.UTC);
        assertThat(between(nightly, "2026-03-01T02:00:00.5Z", "2026-03-01T23:00:00Z"))
                .isZero();
        assertThat(between(nightly, "2026-03-01T02:00:00.5Z", "2026-03-04T01:59:59Z"))
                .isEqualTo(2);
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
        assertThat(between(nightly, "2026-03-01T02:00:00.5Z", "2026-03-02T03:00:00Z"))
                .isEqualTo(1);
    }

    @Test
    void periodsOfAFixedRateAreCounted() {
        TaskSchedule hourly = TaskSchedule.fixedRate(Duration.ofHours(1));
        assertThat(between(hourly, "2026-03-01T02:00:00Z", "2026-03-01T02:59:59Z"))
                .isZero();
        assertThat(between(hourly, "2026-03-01T02:00:00Z", "2026-03-01T05:10:00Z"))
                .isEqualTo(3);
        assertThat(between(hourly, "2020-03-01T02:00:00Z", "2026-03-01T05:10:00Z"))
                .isEqualTo(1_000);
    }

    @Test
    void frequentOnesAndDelaysAreLeftOut() {
        assertThat(between(
                        TaskSchedule.fixedRate(Duration.ofSeconds(59)), "2026-03-01T02:00:00Z", "2026-03-02T02:00:00Z"))
                .isZero();
        assertThat(between(TaskSchedule.cron("*/30 * * * * *", BERLIN), "2026-03-01T02:00:00Z", "2026-03-02T02:00:00Z"))
                .isZero();
        assertThat(between(
                        TaskSchedule.fixedDelay(Duration.ofHours(1)), "2026-03-01T02:00:00Z", "2026-03-02T02:00:00Z"))
                .isZero();
    }

    @Test
    void startBeforeTheLastRunMissesNone() {
        assertThat(between(TaskSchedule.fixedRate(Duration.ofHours(1)), "2026-03-02T02:00:00Z", "2026-03-01T02:00:00Z"))
                .isZero();
        assertThat(between(TaskSchedule.cron("0 0 2 * * *", BERLIN), "2026-03-02T02:00:00Z", "2026-03-01T02:00:00Z"))
                .isZero();
    }
}
