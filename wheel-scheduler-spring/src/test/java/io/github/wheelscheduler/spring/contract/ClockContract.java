package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.CronTrigger;

/** Start instants and triggers follow the clock that was set, however far it is from the machine's. */
abstract class ClockContract extends SchedulerFixture {

    private static final Duration TEN_DAYS = Duration.ofDays(10);

    ClockContract(SchedulerFactory factory) {
        super(factory);
    }

    @Test
    @SuppressWarnings("JavaTimeDefaultTimeZone")
    void defaultIsTheSystemClockInTheDefaultZone() {
        assertThat(created().getClock()).isEqualTo(Clock.systemDefaultZone());
    }

    @Test
    void clockThatWasSetIsTheOneThatIsShown() {
        var clock = new SteadyClock();

        assertThat(started(it -> it.setClock(clock)).getClock()).isSameAs(clock);
    }

    @Test
    void clockIsAlwaysThere() {
        var scheduler = created();

        assertThatIllegalArgumentException().isThrownBy(() -> scheduler.setClock(forbiddenNull()));
    }

    @Test
    void pastInstantOfAFastClockRunsAtOnce() {
        var scheduler = started(it -> it.setClock(SteadyClock.aheadBy(TEN_DAYS)));
        Instant pastOnItsClock = Instant.now().plus(AN_HOUR);
        var oneTime = new RecordingTask();
        var rate = new RecordingTask();
        var delay = new RecordingTask();
        var trigger = new RecordingTask();

        var unused = List.of(
                scheduler.schedule(oneTime, pastOnItsClock),
                scheduler.scheduleAtFixedRate(rate, pastOnItsClock, AN_HOUR),
                scheduler.scheduleWithFixedDelay(delay, pastOnItsClock, AN_HOUR),
                Objects.requireNonNull(scheduler.schedule(trigger, new ObservedTrigger(context -> pastOnItsClock, 1))));

        oneTime.awaitRuns(1);
        rate.awaitRuns(1);
        delay.awaitRuns(1);
        trigger.awaitRuns(1);
    }

    @Test
    void futureInstantOfASlowClockWaits() {
        var scheduler = started(it -> it.setClock(SteadyClock.aheadBy(TEN_DAYS.negated())));
        Instant pastOnTheMachine = Instant.now().minus(AN_HOUR);
        var task = new RecordingTask();

        var futures = List.of(
                scheduler.schedule(task, pastOnTheMachine),
                scheduler.scheduleAtFixedRate(task, pastOnTheMachine, AN_HOUR),
                scheduler.scheduleWithFixedDelay(task, pastOnTheMachine, AN_HOUR),
                Objects.requireNonNull(scheduler.schedule(task, context -> pastOnTheMachine)));

        assertThat(futures)
                .allSatisfy(future ->
                        assertThat(delayOf(future)).isBetween(TEN_DAYS.minus(AN_HOUR.multipliedBy(2)), TEN_DAYS));
        staysTrue(() -> !task.hasRun());
    }

    @Test
    void nothingIsEarlyOnAFastClock() {
        var clock = SteadyClock.aheadBy(TEN_DAYS);
        var scheduler = started(it -> it.setClock(clock));
        var oneTime = new RecordingTask(clock);
        var trigger = new RecordingTask(clock);
        Instant instant = clock.instant().plusMillis(80);

        var unused = List.of(
                scheduler.schedule(oneTime, instant),
                Objects.requireNonNull(scheduler.schedule(trigger, new ObservedTrigger(context -> instant, 1))));

        assertThat(oneTime.awaitRuns(1).starts().get(0)).isAfterOrEqualTo(instant);
        assertThat(trigger.awaitRuns(1).starts().get(0)).isAfterOrEqualTo(instant);
    }

    @Test
    void cronIsReadInTheZoneOfTheClock() {
        Instant noonInUtc = Instant.parse("2099-06-15T12:00:00Z");
        var clock = new SteadyClock(noonInUtc).withZone(ZoneId.of("Asia/Kolkata"));
        var scheduler = started(it -> it.setClock(clock));

        var future = Objects.requireNonNull(scheduler.schedule(() -> {}, new CronTrigger("0 0 18 * * *")));

        Duration untilSixInKolkata = Duration.ofMinutes(30);
        assertThat(delayOf(future)).isBetween(untilSixInKolkata.minus(PATIENCE), untilSixInKolkata);
    }

    private static Duration delayOf(Delayed future) {
        return Duration.ofNanos(future.getDelay(TimeUnit.NANOSECONDS));
    }
}
