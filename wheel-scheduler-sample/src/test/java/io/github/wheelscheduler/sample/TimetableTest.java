package io.github.wheelscheduler.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.CronExpression;

/** How often a task should run. */
class TimetableTest {

    private static final Instant NOON = Instant.parse("2000-01-01T12:00:00Z");

    @Test
    void fixedRateCountsFromTheStart() {
        Timetable timetable = new Timetable.Every(Duration.ofMillis(100));
        assertThat(timetable.countDue(NOON, NOON.plusMillis(450), Duration.ZERO))
                .isEqualTo(5);
    }

    @Test
    void fixedDelayCountsFromTheEndOfEachRun() {
        Timetable timetable = new Timetable.AfterEachRun(Duration.ofMillis(500));
        assertThat(timetable.countDue(NOON, NOON.plusSeconds(4), Duration.ofMillis(1_500)))
                .isEqualTo(3);
    }

    @Test
    void cronExpressionCountsTheInstantsThatItNames() {
        Timetable timetable = new Timetable.Cron(CronExpression.parse("*/2 * * * * *"), ZoneOffset.UTC);
        assertThat(timetable.countDue(NOON, NOON.plusMillis(4_500), Duration.ofMillis(1_200)))
                .isEqualTo(2);
    }

    @Test
    void cronExpressionSkipsInstantsDuringARun() {
        Timetable timetable = new Timetable.Cron(CronExpression.parse("*/2 * * * * *"), ZoneOffset.UTC);
        assertThat(timetable.nextDue(NOON, NOON.plusSeconds(3))).isEqualTo(NOON.plusSeconds(4));
    }

    @Test
    void oneTimeTaskCountsOnceItIsDue() {
        Timetable timetable = new Timetable.Once(Duration.ofSeconds(1));
        assertThat(timetable.countDue(NOON, NOON.plusMillis(999), Duration.ZERO))
                .isZero();
        assertThat(timetable.countDue(NOON, NOON.plusSeconds(9), Duration.ZERO)).isEqualTo(1);
    }
}
