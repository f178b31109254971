package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Series at a fixed rate and with a fixed delay. How missed runs are made up is not part of the contract. */
abstract class PeriodicContract extends SchedulerFixture {

    private final SteadyClock clock = new SteadyClock();

    PeriodicContract(SchedulerFactory factory) {
        super(factory);
    }

    @Test
    void fixedRateStartsAtOnceAndNoRunIsEarly() {
        var scheduler = started(it -> it.setClock(clock));
        var task = new RecordingTask(clock);
        Instant before = clock.instant();

        var unused = scheduler.scheduleAtFixedRate(task, PERIOD);

        assertNoRunIsEarly(task.awaitRuns(5).starts(), before);
    }

    @Test
    void fixedRateStartsAtItsInstant() {
        var scheduler = started(it -> it.setClock(clock));
        var task = new RecordingTask(clock);
        Instant start = clock.instant().plusMillis(80);

        var unused = scheduler.scheduleAtFixedRate(task, start, PERIOD);

        assertNoRunIsEarly(task.awaitRuns(4).starts(), start);
    }

    @Test
    void fixedRateIsMeasuredFromDeadlineToDeadline() {
        Duration runTime = Duration.ofMillis(150);
        Duration period = Duration.ofMillis(400);
        var scheduler = started();

        List<ScheduledFuture<?>> futures = List.of(
                scheduler.scheduleAtFixedRate(new RecordingTask(clock, runTime), period),
                scheduler.scheduleAtFixedRate(new RecordingTask(clock, runTime), Instant.now(), period));

        for (ScheduledFuture<?> future : futures) {
            await().until(() -> future.getDelay(TimeUnit.NANOSECONDS) > 0);
            assertThat(Duration.ofNanos(future.getDelay(TimeUnit.NANOSECONDS)))
                    .as("what is left of the period after the run")
                    .isLessThanOrEqualTo(period.minus(runTime));
        }
    }

    @Test
    void fixedDelayStartsAtOnceAndCountsFromTheEndOfARun() {
        var scheduler = started(it -> it.setClock(clock));
        var task = new RecordingTask(clock, Duration.ofMillis(30));
        Instant before = clock.instant();

        var unused = scheduler.scheduleWithFixedDelay(task, PERIOD);

        task.awaitRuns(4);
        assertThat(task.starts().get(0)).isAfterOrEqualTo(before);
        assertDelayedFromEnds(task);
    }

    @Test
    void fixedDelayStartsAtItsInstant() {
        var scheduler = started(it -> it.setClock(clock));
        var task = new RecordingTask(clock, Duration.ofMillis(10));
        Instant start = clock.instant().plusMillis(80);

        var unused = scheduler.scheduleWithFixedDelay(task, start, PERIOD);

        task.awaitRuns(3);
        assertThat(task.starts().get(0)).isAfterOrEqualTo(start);
        assertDelayedFromEnds(task);
    }

    @Test
    void startInThePastMeansAtOnce() {
        var scheduler = started();
        var rate = new RecordingTask();
        var delay = new RecordingTask();
        Instant past = Instant.now().minus(AN_HOUR.multipliedBy(30));

        ScheduledFuture<?> rateFuture = scheduler.scheduleAtFixedRate(rate, past, AN_HOUR.multipliedBy(24));
        ScheduledFuture<?> delayFuture = scheduler.scheduleWithFixedDelay(delay, past, AN_HOUR);

        rate.awaitRuns(1);
        delay.awaitRuns(1);
        assertThat(rateFuture.isDone()).isFalse();
        assertThat(delayFuture.isDone()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"FIXED_RATE", "FIXED_DELAY", "TRIGGER"})
    void aSeriesNeverOverlapsItself(TaskKind kind) {
        var scheduler = started();
        var task = new RecordingTask(clock, PERIOD.multipliedBy(2));

        kind.start(scheduler, task);

        assertThat(task.awaitRuns(5).mostAtOnce()).isEqualTo(1);
    }

    @Test
    void longestPeriodMeansOnceAndDisturbsNobody() {
        var scheduler = started();
        Duration longest = Duration.ofMillis(Long.MAX_VALUE);
        var task = new RecordingTask();

        ScheduledFuture<?> rate = scheduler.scheduleAtFixedRate(task, longest);
        ScheduledFuture<?> delay = scheduler.scheduleWithFixedDelay(task, longest);

        for (ScheduledFuture<?> future : List.of(rate, delay)) {
            await().until(() -> future.getDelay(TimeUnit.DAYS) > 50 * 365);
        }
        var other = new RecordingTask();
        var unused = scheduler.scheduleAtFixedRate(other, PERIOD);
        other.awaitRuns(3);
        assertThat(task.runs()).isEqualTo(2);
    }

    private static void assertNoRunIsEarly(List<Instant> starts, Instant first) {
        for (int i = 0; i < starts.size(); i++) {
            assertThat(starts.get(i)).as("run %d", i).isAfterOrEqualTo(first.plus(PERIOD.multipliedBy(i)));
        }
    }

    private static void assertDelayedFromEnds(RecordingTask task) {
        // In this order: the series goes on, and for each start there is the end before it.
        List<Instant> starts = task.starts();
        List<Instant> ends = task.ends();
        for (int i = 1; i < starts.size(); i++) {
            assertThat(starts.get(i))
                    .as("run %d", i)
                    .isAfterOrEqualTo(ends.get(i - 1).plus(PERIOD));
        }
    }
}
