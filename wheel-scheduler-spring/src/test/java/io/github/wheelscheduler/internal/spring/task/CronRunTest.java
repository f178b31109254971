package io.github.wheelscheduler.internal.spring.task;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.scheduling.support.CronTrigger;

/** How the runs of a trigger begin, follow each other, and end. */
class CronRunTest {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();
    private final AtomicInteger runs = new AtomicInteger();
    private final LogCapture log = LogCapture.of("io.github.wheelscheduler.spring.TriggerSeries");

    @AfterEach
    void shutdown() {
        scheduler.shutdown();
        log.close();
    }

    @Test
    void cancelWinsOverTheArmingOfTheNextRun() {
        scheduler.setMaxPending(100);
        scheduler.initialize();
        Seed.play(random -> {
            long endNanos = System.nanoTime()
                    + Duration.ofMillis(Scale.of(1_000, 30_000)).toNanos();
            while (System.nanoTime() - endNanos < 0) {
                AtomicInteger asked = new AtomicInteger();
                ScheduledFuture<?> series = scheduler.schedule(runs::incrementAndGet, context -> {
                    asked.incrementAndGet();
                    return Instant.now();
                });
                LockSupport.parkNanos(random.nextInt(100_000));
                assertThat(series.cancel(random.nextBoolean())).isTrue();
                assertThat(series.isCancelled()).isTrue();
                awaitThat(() -> scheduler.getActiveCount() == 0 && pending() == 0);
                int askedAtEnd = asked.get();
                assertThat(series.cancel(true)).isFalse();
                assertThat(asked).hasValue(askedAtEnd);
            }
        });
    }

    @Test
    void seriesIsNotDoneBetweenItsRuns() {
        scheduler.initialize();
        int last = Scale.of(20_000, 1_000_000);
        AtomicInteger asked = new AtomicInteger();
        ScheduledFuture<?> series = scheduler.schedule(
                runs::incrementAndGet, context -> asked.incrementAndGet() > last ? null : Instant.EPOCH);
        // Without a pause, so as to meet the moments between two runs.
        while (!series.isDone()) {
            Thread.onSpinWait();
        }
        assertThat(runs).hasValue(last);
    }

    /** An error that skips the handlers of a frame leaves locked what that frame has locked. */
    @Test
    void triggerIsAskedForTheNextRunWithNoLockHeld() {
        scheduler.initialize();
        List<LockInfo> held = new CopyOnWriteArrayList<>();
        ScheduledFuture<?> series = scheduler.schedule(runs::incrementAndGet, context -> {
            long[] own = {Thread.currentThread().getId()};
            if (runs.get() > 0) {
                held.addAll(List.of(ManagementFactory.getThreadMXBean()
                        .getThreadInfo(own, true, true)[0]
                        .getLockedSynchronizers()));
            }
            return runs.get() < 3 ? Instant.now() : null;
        });
        awaitThat(series::isDone);
        assertThat(runs).hasValue(3);
        assertThat(held).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void clockThatFailsHoldsUpCronsUntilItWorksAgain(boolean returnsNull) {
        BrokenClock clock = new BrokenClock(returnsNull);
        scheduler.setClock(clock);
        scheduler.initialize();
        AtomicInteger rateRuns = new AtomicInteger();
        ScheduledFuture<?> cron = scheduler.schedule(runs::incrementAndGet, new CronTrigger("* * * * * *"));
        ScheduledFuture<?> rate = scheduler.scheduleAtFixedRate(rateRuns::incrementAndGet, Duration.ofMillis(10));
        awaitThat(() -> runs.get() > 0);
        clock.isBroken = true;
        int failures = clock.failures.get();
        int rateRunsBefore = rateRuns.get();
        awaitThat(() -> clock.failures.get() > failures + 100 && rateRuns.get() > rateRunsBefore + 100);
        assertThat(cron.isDone() || rate.isDone()).isFalse();
        int runsBefore = runs.get();
        clock.isBroken = false;
        awaitThat(() -> runs.get() > runsBefore);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cronKeepsTheZoneThatTheClockCannotTellAnyMore(boolean returnsNull) {
        BrokenClock clock = new BrokenClock(returnsNull);
        scheduler.setClock(clock);
        scheduler.initialize();
        AtomicInteger registeredRuns = new AtomicInteger();
        ScheduledFuture<?> plain = scheduler.schedule(runs::incrementAndGet, new CronTrigger("* * * * * *"));
        ScheduledFuture<?> registered = scheduler
                .getTaskRegistry()
                .schedule("registered", registeredRuns::incrementAndGet, TaskSchedule.cron("* * * * * *"));
        clock.isZoneBroken = true;
        awaitThat(() -> runs.get() > 1 && registeredRuns.get() > 1);
        assertThat(clock.failures).hasPositiveValue();
        assertThat(plain.isDone() || registered.isDone()).isFalse();
    }

    /** Shows the system's time, unless it is broken. */
    private static final class BrokenClock extends Clock {

        private final AtomicInteger failures = new AtomicInteger();
        private final boolean returnsNull;
        private volatile boolean isBroken;
        private volatile boolean isZoneBroken;

        BrokenClock(boolean returnsNull) {
            this.returnsNull = returnsNull;
        }

        @Override
        @SuppressWarnings("NullAway") // meant
        public ZoneId getZone() {
            return isZoneBroken ? fail(BERLIN) : BERLIN;
        }

        @SuppressWarnings("NullAway") // meant
        private <T> T fail(T unused) {
            failures.incrementAndGet();
            if (returnsNull) {
                return null;
            }
            throw new IllegalStateException("on purpose");
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        @SuppressWarnings("NullAway") // meant
        public Instant instant() {
            return isBroken ? fail(Instant.EPOCH) : Instant.now();
        }
    }

    @Test
    void shutdownDuringARunCancelsTheSeriesWithoutRejection() {
        AtomicInteger rejections = new AtomicInteger();
        scheduler.setRejectedExecutionHandler((task, pool) -> rejections.incrementAndGet());
        scheduler.initialize();
        Gate gate = new Gate();
        ScheduledFuture<?> series = scheduler.schedule(gate, context -> Instant.now());
        gate.awaitArrivals(1);
        scheduler.getWheelScheduledExecutor().shutdown();
        gate.open();
        awaitThat(() -> scheduler.getWheelScheduledExecutor().isTerminated());
        assertThat(series.isCancelled()).isTrue();
        assertThat(gate.arrivals()).isOne();
        assertThat(rejections).hasValue(0);
    }

    @Test
    void shutdownCancelsTheSeriesWithoutRejection() {
        AtomicInteger rejections = new AtomicInteger();
        for (int round = 0; round < Scale.of(200, 10_000); round++) {
            WheelTaskScheduler closed = new WheelTaskScheduler();
            closed.setRejectedExecutionHandler((task, pool) -> rejections.incrementAndGet());
            closed.initialize();
            ScheduledFuture<?> series = closed.schedule(() -> {}, context -> Instant.now());
            LockSupport.parkNanos(round % 50 * 10_000L);
            closed.getWheelScheduledExecutor().shutdown();
            awaitThat(() -> closed.getWheelScheduledExecutor().isTerminated());
            assertThat(series.isCancelled()).isTrue();
        }
        assertThat(rejections).hasValue(0);
    }

    @Test
    void triggerThatFailsLaterEndsItsSeriesOnly() throws Exception {
        AtomicReference<Throwable> handled = new AtomicReference<>();
        scheduler.setErrorHandler(handled::set);
        scheduler.initialize();
        IllegalStateException failure = new IllegalStateException("on purpose");
        ScheduledFuture<?> series = scheduler.schedule(runs::incrementAndGet, twiceAndThen(() -> {
            throw failure;
        }));
        ScheduledFuture<?> other = scheduler.scheduleAtFixedRate(() -> {}, Duration.ofMillis(1));
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> getLast(series))
                .withCause(failure);
        assertThat(handled.get()).isSameAs(failure);
        assertThat(runs).hasValue(2);
        assertThat(log.messages())
                .singleElement()
                .asString()
                .contains("; there are no more runs of")
                .endsWith(": fix the trigger");
        assertThat(scheduler.submit(() -> "ran").get(30, SECONDS)).isEqualTo("ran");
        assertThat(other.isDone()).isFalse();
    }

    @Test
    void triggerThatNamesNoFurtherInstantEndsItsSeries() throws Exception {
        scheduler.setMaxPending(1);
        scheduler.initialize();
        ScheduledFuture<?> series = scheduler.schedule(runs::incrementAndGet, twiceAndThen(() -> null));
        getLast(series);
        assertThat(runs).hasValue(2);
        assertThat(series.isCancelled()).isFalse();
        // It has given its place back when the run has ended, which is just after it is done.
        awaitThat(() -> scheduler.getActiveCount() == 0);
        assertThat(scheduler.submit(() -> "ran").get(30, SECONDS)).isEqualTo("ran");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2500-01-01T00:00:00Z", "+1000000000-12-31T23:59:59.999999999Z"})
    void instantFarBeyondTheRangeOfNanosecondsIsAccepted(Instant far) throws Exception {
        scheduler.initialize();
        ScheduledFuture<?> series = scheduler.schedule(runs::incrementAndGet, context -> far);
        assertThat(series.getDelay(DAYS)).isGreaterThan(100 * 365);
        assertThat(scheduler.submit(() -> "ran").get(30, SECONDS)).isEqualTo("ran");
        assertThat(series.isDone()).isFalse();
        assertThat(series.cancel(false)).isTrue();
        assertThat(runs).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // In Berlin, 02:30 does not exist on the second day of the first, and comes twice on that of the
                // second.
                "2031-03-29T00:00:00Z",
                "2031-10-25T00:00:00Z"
            })
    void cronTriggerKeepsItsTimesWhenTheClocksChange(Instant start) {
        CronExpression nightly = CronExpression.parse("0 30 2 * * *");
        List<Instant> expected = Stream.iterate(start.atZone(BERLIN), nightly::next)
                .skip(1)
                .limit(3)
                .map(ZonedDateTime::toInstant)
                .toList();
        SettableClock clock = new SettableClock(start);
        scheduler.setClock(clock);
        scheduler.initialize();
        List<Instant> seen = new CopyOnWriteArrayList<>();
        ScheduledFuture<?> series =
                scheduler.schedule(() -> seen.add(clock.instant()), new CronTrigger(nightly.toString(), BERLIN));
        try (LogCapture jumps = LogCapture.ofPackage(WheelScheduledExecutor.class)) {
            for (int i = 0; i < expected.size(); i++) {
                int soFar = i;
                clock.set(expected.get(i));
                // The clock goes on only when the trigger has named the next instant.
                awaitThat(() -> seen.size() > soFar && pending() == 1);
            }
            assertThat(jumps.messages()).allMatch(line -> line.contains("wall clock has moved"));
        }
        assertThat(seen).isEqualTo(expected);
        assertThat(series.isDone()).isFalse();
    }

    @Test
    void closingNeverWaitsForATrigger() {
        scheduler.setWaitForTasksToCompleteOnShutdown(true);
        scheduler.setAwaitTerminationSeconds(30);
        GenericApplicationContext context = new GenericApplicationContext();
        context.registerBean("taskScheduler", WheelTaskScheduler.class, () -> scheduler);
        context.refresh();
        Future<?> series =
                scheduler.schedule(runs::incrementAndGet, c -> Instant.now().plusSeconds(3_600));
        long beforeNanos = System.nanoTime();
        context.close();
        assertThat(Duration.ofNanos(System.nanoTime() - beforeNanos)).isLessThan(Duration.ofSeconds(10));
        assertThat(series.isCancelled()).isTrue();
        assertThat(scheduler.getWheelScheduledExecutor().isTerminated()).isTrue();
    }

    private long pending() {
        return scheduler.getWheelScheduledExecutor().pendingCount();
    }

    /** Waits for the last run, and returns or throws what became of it. */
    private static void getLast(Future<?> series) throws Exception {
        awaitThat(series::isDone);
        Object ignored = series.get(0, SECONDS);
    }

    private static Trigger twiceAndThen(Supplier<Instant> end) {
        AtomicInteger asked = new AtomicInteger();
        return context -> asked.incrementAndGet() <= 2 ? Instant.now() : end.get();
    }

    /** Stands still until it is set. */
    private static final class SettableClock extends Clock {

        private volatile Instant instant;

        SettableClock(Instant instant) {
            this.instant = instant;
        }

        void set(Instant newInstant) {
            instant = newInstant;
        }

        @Override
        public Instant instant() {
            return instant;
        }

        @Override
        public ZoneId getZone() {
            return BERLIN;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException();
        }
    }
}
