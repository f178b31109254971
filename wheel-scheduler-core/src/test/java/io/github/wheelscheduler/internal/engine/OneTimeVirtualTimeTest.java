package io.github.wheelscheduler.internal.engine;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelTimer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One-time timers, cancelling, rescheduling and sleeping, in virtual time. */
class OneTimeVirtualTimeTest {

    @ParameterizedTest
    @MethodSource("io.github.wheelscheduler.testing.Clocks#awkwardOrigins")
    void executorWorksWhereTheClockWrapsOrChangesItsSign(long origin) throws Exception {
        try (VirtualTime time = new VirtualTime(origin, builder -> builder)) {
            VirtualTime.Recorder once = time.recorder();
            VirtualTime.Recorder rate = time.recorder();
            VirtualTime.Recorder delay = time.recorder();
            VirtualTime.Recorder calendar = time.recorder();
            WheelTimer<?> unused = time.executor.schedule(once, 0, NANOSECONDS);
            unused = time.executor.schedule(once, 1, NANOSECONDS);
            unused = time.executor.schedule(once, 1_000, MILLISECONDS);
            WheelTimer<?> far = time.executor.schedule(once, Long.MAX_VALUE, DAYS);
            WheelTimer<?> cancelled = time.executor.schedule(once, 900, MILLISECONDS);
            unused = time.executor.scheduleAtFixedRate(rate, 500, 500, MILLISECONDS);
            unused = time.executor.scheduleWithFixedDelay(delay, 400, 400, MILLISECONDS);
            unused = time.executor.scheduleAt(calendar, ManualWallClock.ORIGIN.plusMillis(1_200));
            time.awaitQuiet();
            assertThat(cancelled.cancel(false)).isTrue();
            time.pass(Duration.ofMillis(1_600));
            assertThat(once.take()).containsExactly(0L, 0L, 1_000L);
            assertThat(rate.take()).containsExactly(500L, 1_000L, 1_500L);
            assertThat(delay.take()).containsExactly(400L, 800L, 1_200L, 1_600L);
            assertThat(calendar.take()).containsExactly(1_200L);
            assertThat(far.getDelay(DAYS)).isBetween(53_000L, 54_000L);
            assertThat(far.reschedule(2, SECONDS)).isTrue();
            assertThat(far.getDelay(MILLISECONDS)).isEqualTo(2_000);
            time.pass(Duration.ofSeconds(2));
            assertThat(once.take()).containsExactly(3_600L);
            assertThat(time.executor.pendingCount()).isEqualTo(2);
        }
    }

    @Test
    void noTaskIsEarlyAndNoneIsLaterThanATick() throws Exception {
        try (VirtualTime time = new VirtualTime(builder -> builder.tick(Duration.ofNanos(1 << 20)))) {
            List<Long> lateness = Collections.synchronizedList(new ArrayList<>());
            for (int i = 0; i < 500; i++) {
                long deadline = time.clock.nanoTime() + i * 777_777L;
                WheelTimer<?> unused = time.executor.schedule(
                        () -> lateness.add(time.clock.nanoTime() - deadline), i * 777_777L, NANOSECONDS);
            }
            time.pass(Duration.ofSeconds(1));
            // A deadline is kept to 8 ns.
            assertThat(lateness)
                    .hasSize(500)
                    .allSatisfy(nanos -> assertThat(nanos).isBetween(0L, (1L << 20) + 8));
        }
    }

    @Test
    void loneFarTimerIsSleptForInOneGo() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> unused = time.executor.schedule(task, 30, DAYS);
            time.awaitQuiet();
            long sleeps = time.clock.parks();
            time.pass(Duration.ofDays(30).minusMillis(1));
            assertThat(time.clock.parks()).isEqualTo(sleeps);
            time.pass(Duration.ofMillis(2));
            assertThat(task.take()).containsExactly(DAYS.toMillis(30));
        }
    }

    @Test
    void idleExecutorDoesNotWakeUpAtAll() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            WheelTimer<?> unused = time.executor.schedule(time.recorder(), 1, MILLISECONDS);
            time.pass(Duration.ofSeconds(5));
            long wakeUps = time.executor.snapshot().tick().wakeUps();
            time.pass(Duration.ofDays(1));
            assertThat(time.executor.snapshot().tick().wakeUps()).isEqualTo(wakeUps);
        }
    }

    @Test
    void laterTimerDoesNotWakeASleepingTickThread() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> unused = time.executor.schedule(task, 1, SECONDS);
            time.awaitQuiet();
            long sleeps = time.clock.parks();
            for (int i = 0; i < 100; i++) {
                unused = time.executor.schedule(task, 2, SECONDS);
            }
            time.awaitQuiet();
            assertThat(time.clock.parks()).isEqualTo(sleeps);
            time.pass(Duration.ofSeconds(3));
            assertThat(task.take()).hasSize(101).endsWith(2_000L);
        }
    }

    @Test
    void shortenedDelayWakesTheSleeper() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> timer = time.executor.schedule(task, 1, HOURS);
            time.awaitQuiet();
            assertThat(timer.reschedule(10, MILLISECONDS)).isTrue();
            time.pass(Duration.ofMillis(10));
            assertThat(task.take()).containsExactly(10L);
            assertThat(timer.isDone()).isTrue();
        }
    }

    @Test
    void rescheduledLaterRunsAtTheNewTimeOnly() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> timer = time.executor.schedule(task, 10, MILLISECONDS);
            for (int i = 0; i < 50; i++) {
                time.pass(Duration.ofMillis(5));
                assertThat(timer.reschedule(10, MILLISECONDS)).isTrue();
            }
            assertThat(task.take()).isEmpty();
            time.pass(Duration.ofMillis(60));
            assertThat(task.take()).containsExactly(260L);
            assertThat(timer.reschedule(10, MILLISECONDS)).isFalse();
        }
    }

    @Test
    void cancelledTimerLeavesTheWheelByItsDeadline() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            WheelTimer<?> timer = time.executor.schedule(time.recorder(), 1, HOURS);
            time.awaitQuiet();
            assertThat(time.wheelSize()).isOne();
            assertThat(timer.cancel(false)).isTrue();
            time.pass(Duration.ofMinutes(61));
            assertThat(time.wheelSize()).isZero();
        }
    }

    @Test
    void manyCancelledTimersLeaveTheWheelEarly() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            List<WheelTimer<?>> timers = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                timers.add(time.executor.schedule(time.recorder(), 1 + i, HOURS));
            }
            time.pass(Duration.ofMillis(100));
            timers.forEach(timer -> assertThat(timer.cancel(false)).isTrue());
            time.awaitQuiet();
            assertThat(time.executor.pendingCount()).isZero();
            assertThat(time.wheelSize()).isLessThan(6_000);
        }
    }

    @Test
    void cancelledTimersInTheWheelNeverOutnumberPending() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            List<WheelTimer<?>> timers = new ArrayList<>();
            for (int i = 0; i < 100_000; i++) {
                timers.add(time.executor.schedule(time.recorder(), 1 + i % 977, HOURS));
            }
            time.pass(Duration.ofMillis(100));
            for (int i = 0; i < timers.size(); i++) {
                assertThat(timers.get(i).cancel(false)).isTrue();
                if (i % 10_000 == 0) {
                    time.awaitQuiet();
                    long pending = time.executor.pendingCount();
                    assertThat(time.wheelSize() - pending).isLessThan(Math.max(4_096, pending) + 3_000);
                }
            }
        }
    }

    @Test
    void manyCancelledTimersLeaveTheWheelWithinASecondOrSo() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            List<WheelTimer<?>> timers = new ArrayList<>();
            for (int i = 0; i < 100_000; i++) {
                timers.add(time.executor.schedule(time.recorder(), 1 + i % 977, HOURS));
            }
            time.pass(Duration.ofMillis(100));
            for (int i = 0; i < 20_000; i++) {
                assertThat(timers.get(i).cancel(false)).isTrue();
            }
            time.pass(Duration.ofMillis(1_100));
            assertThat(time.executor.pendingCount()).isEqualTo(80_000);
            assertThat(time.wheelSize()).isLessThan(80_000 + 4_096 + 2_000);
            long wakeUps = time.executor.snapshot().tick().wakeUps();
            time.pass(Duration.ofMinutes(50));
            assertThat(time.executor.snapshot().tick().wakeUps()).isLessThanOrEqualTo(wakeUps + 3);
        }
    }

    @Test
    void cancelledCalendarTimerIsLookedAfterNoMore() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            WheelTimer<?> timer = time.executor.scheduleAt(time.recorder(), Instant.MAX);
            time.awaitQuiet();
            assertThat(timer.cancel(false)).isTrue();
            time.pass(Duration.ofSeconds(2));
            assertThat(time.wheelSize()).isZero();
            long wakeUps = time.executor.snapshot().tick().wakeUps();
            time.pass(Duration.ofHours(1));
            assertThat(time.executor.snapshot().tick().wakeUps()).isLessThanOrEqualTo(wakeUps + 1);
        }
    }

    @Test
    void cancelledBeforeItWasDrainedNeverTouchesTheWheel() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            WheelTimer<?> unused = time.executor.schedule(time.recorder(), 1, SECONDS);
            time.awaitQuiet();
            for (int i = 0; i < 100; i++) {
                assertThat(time.executor.schedule(time.recorder(), 1, HOURS).cancel(false))
                        .isTrue();
            }
            time.awaitQuiet();
            assertThat(time.wheelSize()).isOne();
            time.pass(Duration.ofSeconds(2));
            assertThat(time.wheelSize()).isZero();
        }
    }
}
