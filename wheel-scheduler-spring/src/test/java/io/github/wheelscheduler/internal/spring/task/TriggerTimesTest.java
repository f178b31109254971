package io.github.wheelscheduler.internal.spring.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.PeriodicTrigger;

/** When a trigger's next run is due, after a rest and with a jitter. */
class TriggerTimesTest {

    private static final Instant NOON = Instant.parse("2000-01-01T12:00:00Z");
    private static final Clock CLOCK = Clock.fixed(NOON, ZoneOffset.UTC);
    private static final long SECOND_NANOS = 1_000_000_000;

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "999999999, 999999999", "1000000000, 0", "1000000001, 1", "2500000000, 500000000"})
    void jitterReachesNoNextInstantOfACron(long nanos, long postponedNanos) {
        TriggerTimes times = new TriggerTimes(new CronTrigger("* * * * * *", ZoneOffset.UTC), CLOCK);
        assertThat(times.putOff(NOON, nanos)).isEqualTo(NOON.plusNanos(postponedNanos));
    }

    /** As one that repeats an instant whose run has failed. */
    @Test
    void extendedCronIsAskedOnceForEachRun() {
        AtomicInteger asked = new AtomicInteger();
        CronTrigger again = new CronTrigger("* * * * * *", ZoneOffset.UTC) {
            @Override
            public Instant nextExecution(TriggerContext context) {
                asked.incrementAndGet();
                return context.lastScheduledExecution();
            }
        };
        TriggerTimes times = new TriggerTimes(again, CLOCK);
        times.update(NOON, NOON, NOON);
        assertThat(times.next(NOON, 0)).isEqualTo(NOON);
        assertThat(asked).hasValue(1);
    }

    @Test
    void restFollowsARunOfARateWithoutAPeriod() {
        PeriodicTrigger always = new PeriodicTrigger(Duration.ZERO);
        always.setFixedRate(true);
        TriggerTimes times = new TriggerTimes(always, CLOCK);
        times.update(NOON, NOON, NOON.plusNanos(5));
        assertThat(times.next(NOON, SECOND_NANOS)).isEqualTo(NOON.plusNanos(5 + SECOND_NANOS));
    }
}
