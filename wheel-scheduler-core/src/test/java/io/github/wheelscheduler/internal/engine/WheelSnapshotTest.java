package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelSnapshot;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What an executor says about itself. */
class WheelSnapshotTest {

    private static final Duration ROUNDING = Duration.ofNanos(20_000);

    @Test
    void totalsCountWhatHasHappened() {
        try (VirtualTime time = new VirtualTime(builder -> builder.maxPending(10))) {
            WheelTimer<?> series = time.executor.scheduleAtFixedRate(time.recorder(), 10, 10, MILLISECONDS);
            WheelTimer<?> once = time.executor.schedule(time.recorder(), 15, MILLISECONDS);
            WheelTimer<?> cancelled = time.executor.schedule(time.recorder(), 1, HOURS);
            assertThat(cancelled.cancel(false)).isTrue();
            time.pass(Duration.ofMillis(30));
            for (int i = 0; i < 9; i++) {
                WheelTimer<?> ignored = time.executor.schedule(time.recorder(), 1, HOURS);
            }
            assertThatExceptionOfType(RejectedExecutionException.class)
                    .isThrownBy(() -> time.executor.schedule(time.recorder(), 1, HOURS));
            assertThat(once.isDone() && !series.isDone()).isTrue();
            WheelSnapshot.Totals totals = time.executor.snapshot().totals();
            // Three runs of the series and the one that is pending, the one-time timers, the cancelled one.
            assertThat(totals.scheduled()).isEqualTo(4 + 1 + 1 + 9);
            assertThat(totals.fired()).isEqualTo(3 + 1);
            assertThat(totals.cancelled()).isEqualTo(1);
            assertThat(totals.rejected()).isEqualTo(1);
            assertThat(time.executor.snapshot().pending()).isEqualTo(10);
        }
    }

    @Test
    void tickIsThePowerOfTwoAtOrBelowWhatWasAskedFor() {
        try (WheelScheduledExecutor byDefault = WheelScheduledExecutor.builder().build();
                WheelScheduledExecutor coarse = WheelScheduledExecutor.builder()
                        .tick(Duration.ofMillis(1))
                        .build()) {
            assertThat(byDefault.tick()).isEqualTo(Duration.ofNanos(1 << 14));
            assertThat(coarse.tick()).isEqualTo(Duration.ofNanos(1 << 19));
        }
    }

    @Test
    void tickThreadSaysWhenItWillWakeUp() {
        try (VirtualTime time = new VirtualTime()) {
            assertThat(time.executor.snapshot().tick().state()).isEqualTo(WheelSnapshot.State.NOT_STARTED);
            assertThat(time.executor.snapshot().tick().nextExpiry()).isNull();
            WheelTimer<?> timer = time.executor.schedule(time.recorder(), 5, SECONDS);
            time.awaitQuiet();
            time.pass(Duration.ofSeconds(2));
            WheelSnapshot.Tick tick = time.executor.snapshot().tick();
            assertThat(tick.state()).isEqualTo(WheelSnapshot.State.RUNNING);
            assertThat(tick.nextExpiry()).isCloseTo(Duration.ofSeconds(3), ROUNDING);
            assertThat(tick.stuckFor()).isZero();
            assertThat(timer.cancel(false)).isTrue();
        }
    }

    @Test
    void tickThreadSaysThatItHasEnded() {
        VirtualTime time = new VirtualTime();
        WheelTimer<?> ignored = time.executor.schedule(time.recorder(), 5, SECONDS);
        time.awaitQuiet();
        List<Runnable> left = time.executor.shutdownNow();
        assertThat(left).hasSize(1);
        awaitThat(() -> time.executor.snapshot().tick().state() == WheelSnapshot.State.ENDED);
        time.close();
    }

    @Test
    void sleepThatEndsTooLateIsCounted() {
        try (VirtualTime time = new VirtualTime()) {
            WheelTimer<?> ignored = time.executor.schedule(time.recorder(), 1, SECONDS);
            time.awaitQuiet();
            time.jump(Duration.ofSeconds(5));
            WheelSnapshot.Tick tick = time.executor.snapshot().tick();
            assertThat(tick.oversleeps()).isEqualTo(1);
            assertThat(tick.longestOversleep()).isCloseTo(Duration.ofSeconds(4), ROUNDING);
            assertThat(tick.overslept()).isEqualTo(tick.longestOversleep());
            time.jump(Duration.ofMinutes(3));
            assertThat(time.executor.snapshot().tick().longestOversleep()).isZero();
        }
    }

    @Test
    void tickThreadThatDoesNotGetOnIsStuck() {
        Gate inClock = new Gate();
        try (VirtualTime time = new VirtualTime()) {
            WheelTimer<?> ignored = time.executor.scheduleAt(
                    time.recorder(), time.wallClock.instant().plus(Duration.ofMinutes(1)));
            time.awaitQuiet();
            time.wallClock.blockNextReadingOn(inClock);
            time.clock.advance(Duration.ofSeconds(2));
            inClock.awaitArrivals(1);
            time.clock.advance(Duration.ofSeconds(30));
            assertThat(time.executor.snapshot().tick().stuckFor()).isGreaterThanOrEqualTo(Duration.ofSeconds(30));
            inClock.open();
            time.awaitQuiet();
            assertThat(time.executor.snapshot().tick().stuckFor()).isZero();
        }
    }

    @Test
    void everFailingTickThreadIsStuckAndFillsNoLog() {
        AtomicInteger failures = new AtomicInteger();
        TimeSource withoutLongSleep = new TimeSource() {
            @Override
            public void parkNanos(Object blocker, long nanos) {
                if (nanos > SECONDS.toNanos(1)) {
                    failures.incrementAndGet();
                    throw new IllegalStateException("nobody sleeps for so long");
                }
                super.parkNanos(blocker, nanos);
            }
        };
        WheelScheduledExecutor executor =
                WheelScheduledExecutor.builder().timeSource(withoutLongSleep).build();
        try (LogCapture log = LogCapture.ofPackage(WheelScheduledExecutor.class)) {
            WheelTimer<?> ignored = executor.schedule(() -> {}, 1, HOURS);
            awaitThat(() -> failures.get() > 100);
            assertThat(executor.snapshot().tick().stuckFor()).isGreaterThan(Duration.ofMillis(50));
            assertThat(log.messages())
                    .hasSizeBetween(7, 20)
                    .anyMatch(text -> text.startsWith("The tick thread failed; it continues"));
        } finally {
            assertThat(executor.shutdownNow()).hasSize(1);
        }
    }

    @Test
    void tickThreadThatIsNeverRunIsStuck() {
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                .tickThreadFactory(task -> new Thread(() -> {}))
                .build();
        assertThat(executor.snapshot().tick().stuckFor()).isZero();
        WheelTimer<?> ignored = executor.schedule(() -> {}, 1, HOURS);
        awaitThat(() -> executor.snapshot().tick().stuckFor().compareTo(Duration.ofMillis(5)) > 0);
        assertThat(executor.snapshot().tick().state()).isEqualTo(WheelSnapshot.State.NOT_STARTED);
    }

    @Test
    void tickThreadThatHasDiedSaysSo() {
        TimeSource withoutSleep = new TimeSource() {
            @Override
            public void parkNanos(Object blocker, long nanos) {
                throw new IllegalStateException("nobody sleeps");
            }
        };
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                .timeSource(withoutSleep)
                .tickThreadFactory(task -> {
                    Thread thread = new Thread(task);
                    thread.setUncaughtExceptionHandler((dead, reason) -> {});
                    return thread;
                })
                .build();
        try (LogCapture log = LogCapture.ofPackage(WheelScheduledExecutor.class)) {
            WheelTimer<?> timer = executor.schedule(() -> {}, 1, HOURS);
            awaitThat(() -> executor.snapshot().tick().state() == WheelSnapshot.State.DEAD);
            assertThat(log.messages()).anyMatch(text -> text.startsWith("The tick thread failed; it continues"));
            assertThat(timer.cancel(false)).isTrue();
        } finally {
            assertThat(executor.shutdownNow()).isEmpty();
        }
    }
}
