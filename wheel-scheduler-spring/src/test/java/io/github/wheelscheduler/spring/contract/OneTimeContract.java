package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks that run once at an instant: {@code schedule(Runnable, Instant)} and its future. */
abstract class OneTimeContract extends SchedulerFixture {

    private final SteadyClock clock = new SteadyClock();

    OneTimeContract(SchedulerFactory factory) {
        super(factory);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 17, 150})
    void aTaskRunsOnceAndNeverBeforeItsInstant(long millis) {
        var scheduler = started(it -> it.setClock(clock));
        var task = new RecordingTask(clock);
        Instant instant = clock.instant().plusMillis(millis);

        ScheduledFuture<?> future = scheduler.schedule(task, instant);

        assertYieldsNull(future);
        staysTrue(() -> task.runs() == 1);
        assertThat(task.starts().get(0)).isAfterOrEqualTo(instant);
    }

    @Test
    void instantInThePastRunsAtOnce() {
        var scheduler = started();

        for (Instant past : List.of(Instant.now().minusSeconds(1), Instant.EPOCH, Instant.MIN)) {
            assertYieldsNull(scheduler.schedule(() -> {}, past));
        }
    }

    @Test
    void farthestInstantWaitsAndHoldsUpNothing() {
        var scheduler = started();
        var far = new RecordingTask();

        ScheduledFuture<?> future = scheduler.schedule(far, Instant.MAX);

        assertYieldsNull(scheduler.schedule(() -> {}, Instant.now()));
        assertThat(future.getDelay(TimeUnit.DAYS)).isGreaterThan(50 * 365);
        assertThat(far.hasRun()).isFalse();
        assertThat(future.cancel(false)).isTrue();
    }

    @Test
    void futureWaitsForTheRunAndThenYieldsNull() {
        var scheduler = started();
        var held = new HeldTask();

        ScheduledFuture<?> future = scheduler.schedule(held, Instant.now());
        held.awaitStart();

        assertThat(future.isDone()).isFalse();
        assertThatThrownBy(() -> future.get(20, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        held.release();
        assertYieldsNull(future);
        assertThat(held.hasEnded()).isTrue();
    }

    @Test
    void futureCarriesTheException() {
        var failure = new IllegalStateException("one-time task fails");

        ScheduledFuture<?> future = started()
                .schedule(
                        () -> {
                            throw failure;
                        },
                        Instant.now());

        assertFailsWith(future, failure);
    }

    @Test
    void delayIsWhatIsLeftUntilTheInstant() {
        var scheduler = started(it -> it.setClock(clock));

        ScheduledFuture<?> future = scheduler.schedule(() -> {}, clock.instant().plus(AN_HOUR));

        Duration first = Duration.ofNanos(future.getDelay(TimeUnit.NANOSECONDS));
        assertThat(first).isLessThanOrEqualTo(AN_HOUR).isGreaterThan(AN_HOUR.minus(PATIENCE));
        await().until(() -> future.getDelay(TimeUnit.NANOSECONDS) < first.toNanos());
        assertThat(future.getDelay(TimeUnit.MINUTES)).isEqualTo(59);
    }

    @Test
    void delayIsUsedUpOnceTheTaskHasRun() {
        ScheduledFuture<?> future = started().schedule(() -> {}, Instant.now().plusMillis(20));

        awaitDone(future);

        assertThat(future.getDelay(TimeUnit.NANOSECONDS)).isLessThanOrEqualTo(0);
    }

    @Test
    void futuresCompareByTheirTime() {
        var scheduler = started();
        Instant now = Instant.now();
        ScheduledFuture<?> later = scheduler.schedule(() -> {}, now.plus(AN_HOUR.multipliedBy(2)));
        ScheduledFuture<?> sooner = scheduler.schedule(() -> {}, now.plus(AN_HOUR));

        assertThat(sooner.compareTo(later)).isNegative();
        assertThat(later.compareTo(sooner)).isPositive();
    }

    @Test
    @SuppressWarnings({"deprecation", "JavaUtilDate"})
    void datesAndMillisecondsMeanWhatInstantsAndDurationsMean() {
        var scheduler = started();
        Date inAnHour = Date.from(Instant.now().plus(AN_HOUR));
        Date now = new Date();
        long hour = AN_HOUR.toMillis();

        assertYieldsNull(scheduler.schedule(() -> {}, now));
        assertIsNextDueInAnHour(scheduler.schedule(() -> {}, inAnHour));
        assertIsNextDueInAnHour(scheduler.scheduleAtFixedRate(() -> {}, inAnHour, 5));
        assertIsNextDueInAnHour(scheduler.scheduleAtFixedRate(() -> {}, hour));
        assertIsNextDueInAnHour(scheduler.scheduleWithFixedDelay(() -> {}, inAnHour, 5));
        assertIsNextDueInAnHour(scheduler.scheduleWithFixedDelay(() -> {}, hour));
    }

    private static void assertIsNextDueInAnHour(ScheduledFuture<?> future) {
        await().until(() -> future.getDelay(TimeUnit.NANOSECONDS) > 0);
        assertThat(Duration.ofNanos(future.getDelay(TimeUnit.NANOSECONDS)))
                .isBetween(AN_HOUR.minusMinutes(1), AN_HOUR.plusSeconds(1));
    }
}
