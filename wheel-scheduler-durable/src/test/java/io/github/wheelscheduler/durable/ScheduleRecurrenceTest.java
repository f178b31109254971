package io.github.wheelscheduler.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.PeriodicTrigger;

class ScheduleRecurrenceTest {

    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    @Test
    void fixedRateKeepsItsPhaseWhateverIsLate() {
        Recurrence rate = ScheduleRecurrence.of(TaskSchedule.fixedRate(Duration.ofMillis(500)), null);

        assertThat(rate.first(NOON)).isEqualTo(NOON);
        assertThat(rate.next(NOON, NOON)).isEqualTo(NOON.plusMillis(500));
        assertThat(rate.next(NOON, NOON.plusMillis(499))).isEqualTo(NOON.plusMillis(500));
        assertThat(rate.next(NOON, NOON.plusMillis(500))).isEqualTo(NOON.plusMillis(1_000));
        assertThat(rate.next(NOON, NOON.plusMillis(7_777))).isEqualTo(NOON.plusMillis(8_000));
        assertThat(rate.text()).isEqualTo("fixed-rate PT0.5S");
        assertThat(rate).hasToString("fixed-rate 500 ms");
    }

    @Test
    void fixedDelayCountsFromTheEnd() {
        Recurrence delay = ScheduleRecurrence.of(TaskSchedule.fixedDelay(Duration.ofSeconds(1)), NOON.plusSeconds(5));

        assertThat(delay.first(NOON)).isEqualTo(NOON.plusSeconds(5));
        assertThat(delay.first(NOON.plusSeconds(6))).isEqualTo(NOON.plusSeconds(6));
        assertThat(delay.next(NOON, NOON.plusSeconds(3))).isEqualTo(NOON.plusSeconds(4));
        assertThat(delay).hasToString("fixed-delay 1 s");
    }

    @Test
    void cronExpressionIsMeantInItsZone() {
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        Recurrence spring = ScheduleRecurrence.of(TaskSchedule.trigger(new CronTrigger("0 0 3 * * *", berlin)), null);
        Recurrence ours = ScheduleRecurrence.of(new TaskSchedule.Cron("0 0 3 * * *", berlin), null);

        for (Recurrence cron : new Recurrence[] {spring, ours}) {
            assertThat(cron.first(NOON)).isEqualTo(Instant.parse("2026-01-02T02:00:00Z"));
            assertThat(cron.next(Instant.parse("2026-01-02T02:00:00Z"), Instant.parse("2026-01-02T02:00:00.004Z")))
                    .isEqualTo(Instant.parse("2026-01-03T02:00:00Z"));
            // Nobody was there for months: one run makes up for all.
            assertThat(cron.next(Instant.parse("2026-01-02T02:00:00Z"), Instant.parse("2026-07-01T12:00:00Z")))
                    .isEqualTo(Instant.parse("2026-07-02T01:00:00Z"));
            assertThat(cron.text()).isEqualTo("cron 0 0 3 * * * Europe/Berlin");
        }
    }

    @Test
    void finalFailureIsRefusedAtOnce() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ScheduleRecurrence.of(TaskSchedule.once(NOON), null))
                .withMessage("A durable schedule must be a cron expression, a fixed rate or a fixed delay, was once");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        ScheduleRecurrence.of(TaskSchedule.trigger(new PeriodicTrigger(Duration.ofSeconds(1))), null))
                .withMessageEndingWith("was trigger");
    }

    @Test
    void rateThatNoDatabaseCanFollowIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ScheduleRecurrence.of(TaskSchedule.fixedRate(Duration.ofNanos(1)), null))
                .withMessage("A durable fixed rate must be at least 1 ms, was PT0.000000001S");
    }
}
