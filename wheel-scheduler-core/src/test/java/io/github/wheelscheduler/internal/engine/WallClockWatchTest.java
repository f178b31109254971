package io.github.wheelscheduler.internal.engine;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.LogCapture;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Timers that name an instant follow the wall clock, no matter what it does. */
class WallClockWatchTest {

    private static final Duration WITHIN = Duration.ofMillis(1_001);

    /** What the wall clock showed when the task ran. */
    private final List<Instant> runs = Collections.synchronizedList(new ArrayList<>());

    private void scheduleAt(VirtualTime time, Instant instant) {
        WheelTimer<?> unused = time.executor.scheduleAt(() -> runs.add(time.wallClock.instant()), instant);
        time.awaitQuiet();
    }

    private static Instant after(Duration duration) {
        return ManualWallClock.ORIGIN.plus(duration);
    }

    @Test
    void instantIsMetWhenTheClockIsLeftAlone() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            scheduleAt(time, after(Duration.ofHours(1)));
            time.pass(Duration.ofHours(1).minusMillis(1));
            assertThat(runs).isEmpty();
            time.pass(Duration.ofMillis(1));
            assertThat(runs).hasSize(1).allMatch(run -> !run.isBefore(after(Duration.ofHours(1))));
            assertThat(time.executor.snapshot().tick().clockJumps()).isZero();
        }
    }

    @Test
    void clockSetBackAnHourCausesNoEarlyOrSecondRun() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            Instant due = after(Duration.ofMinutes(10));
            scheduleAt(time, due);
            time.pass(Duration.ofMinutes(5));
            time.wallClock.moveBy(Duration.ofHours(-1));
            time.pass(Duration.ofMinutes(64));
            assertThat(runs).isEmpty();
            time.pass(Duration.ofMinutes(1).plus(WITHIN));
            assertThat(runs).hasSize(1).allMatch(run -> !run.isBefore(due));
            time.pass(Duration.ofHours(3));
            assertThat(runs).hasSize(1);
            assertThat(time.executor.snapshot().tick().clockJumps()).isOne();
        }
    }

    @Test
    void clockSetBackJustBeforeTheDeadlineIsNoticed() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            Instant due = after(Duration.ofMillis(10_500));
            scheduleAt(time, due);
            time.pass(Duration.ofMillis(10_400));
            time.wallClock.moveBy(Duration.ofHours(-1));
            time.pass(Duration.ofMinutes(59));
            assertThat(runs).isEmpty();
            time.pass(Duration.ofMinutes(1).plus(WITHIN));
            assertThat(runs).hasSize(1).allMatch(run -> !run.isBefore(due));
        }
    }

    @Test
    void clockSetBackAfterTheRunDoesNotRepeatIt() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            scheduleAt(time, after(Duration.ofMinutes(1)));
            scheduleAt(time, after(Duration.ofDays(1)));
            time.pass(Duration.ofMinutes(2));
            assertThat(runs).hasSize(1);
            time.wallClock.moveBy(Duration.ofHours(-1));
            time.pass(Duration.ofHours(2));
            assertThat(runs).hasSize(1);
        }
    }

    @Test
    void clockSetForwardADayFiresWithinASecond() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            scheduleAt(time, after(Duration.ofHours(20)));
            scheduleAt(time, after(Duration.ofHours(30)));
            time.pass(Duration.ofMinutes(5));
            time.wallClock.moveBy(Duration.ofDays(1));
            time.pass(WITHIN);
            assertThat(runs).hasSize(1);
            time.pass(Duration.ofHours(6));
            assertThat(runs)
                    .hasSize(2)
                    .last()
                    .satisfies(run -> assertThat(Duration.between(after(Duration.ofHours(30)), run))
                            .isBetween(Duration.ZERO, WITHIN));
            assertThat(time.executor.snapshot().tick().clockJumps()).isOne();
        }
    }

    @Test
    void suspendDuringWhichOnlyTheWallClockWentOnIsNoticed() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            for (int hour = 1; hour <= 5; hour++) {
                scheduleAt(time, after(Duration.ofHours(hour)));
            }
            time.pass(Duration.ofMinutes(30));
            time.wallClock.moveBy(Duration.ofHours(3));
            time.pass(WITHIN);
            assertThat(runs).hasSize(3);
            time.pass(Duration.ofMinutes(30));
            assertThat(runs).hasSize(4);
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.9, 0.9995, 0.99999, 1.00001, 1.0005, 1.1})
    void slewedClockIsFollowed(double rate) throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            Instant due = after(Duration.ofMinutes(100));
            scheduleAt(time, due);
            time.wallClock.goAtRate(rate);
            time.pass(Duration.ofNanos((long) (Duration.ofMinutes(100).toNanos() / rate))
                    .plus(WITHIN));
            assertThat(runs)
                    .hasSize(1)
                    .allSatisfy(run -> assertThat(Duration.between(due, run)).isBetween(Duration.ZERO, WITHIN));
        }
    }

    @Test
    void failingClockLeavesTimersTheirDeadlines() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> unused = time.executor.scheduleAt(task, after(Duration.ofSeconds(30)));
            time.pass(Duration.ofSeconds(10));
            time.wallClock.fail(true);
            time.pass(Duration.ofSeconds(30));
            assertThat(task.take()).containsExactly(30_000L);
        }
    }

    @Test
    void failingClockIsLoggedOnceAMinute() throws Exception {
        try (LogCapture log = LogCapture.of("io.github.wheelscheduler");
                VirtualTime time = new VirtualTime()) {
            VirtualTime.Recorder rate = time.recorder();
            WheelTimer<?> unused = time.executor.scheduleAtFixedRate(rate, 10, 10, SECONDS);
            List<InstantTimer> timers = new ArrayList<>();
            for (int i = 0; i < 5_000; i++) {
                timers.add(
                        EngineOf.executor(time.executor).newInstantTimer(() -> {}, after(Duration.ofMinutes(30)), 0));
            }
            time.wallClock.fail(true);
            for (InstantTimer timer : timers) {
                InstantTimer ignored = EngineOf.executor(time.executor).arming.arm(timer, false);
            }
            time.pass(Duration.ofSeconds(130));
            assertThat(log.said("Reading the wall clock failed")).hasSize(3);
            assertThat(log.said("Reading the wall clock failed").get(1)).contains("times since");
            assertThat(time.wallClock.failures()).isBetween(130, 140);
            assertThat(rate.take()).hasSize(13);
            time.wallClock.fail(false);
            time.pass(Duration.ofMinutes(30));
            assertThat(timers).allMatch(ScheduledTimer::isDone);
        }
    }

    @Test
    void seriesGoesOnWithinASecondOnceTheClockWorksAgain() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            Series series = new Series(time, () -> time.wallClock.fail(true));
            series.arm(1);
            time.pass(Duration.ofMinutes(200));
            assertThat(runs).hasSize(1);
            assertThat(time.executor.pendingCount()).isOne();
            time.wallClock.fail(false);
            time.pass(WITHIN);
            assertThat(runs).hasSize(2);
            time.wallClock.fail(false);
            time.pass(WITHIN);
            assertThat(runs).hasSize(3);
        }
    }

    @Test
    void clockThatWorksAgainIsFollowedAgain() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> unused = time.executor.scheduleAt(task, after(Duration.ofHours(1)));
            time.pass(Duration.ofSeconds(10));
            time.wallClock.fail(true);
            time.pass(Duration.ofSeconds(10));
            time.wallClock.fail(false);
            time.wallClock.moveBy(Duration.ofHours(2));
            time.pass(WITHIN);
            assertThat(task.take()).hasSize(1);
        }
    }

    @Test
    void instantInThePastRunsAtOnce() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            scheduleAt(time, after(Duration.ofDays(-1)));
            scheduleAt(time, Instant.MIN);
            time.pass(Duration.ofNanos(2_000));
            assertThat(runs).hasSize(2);
        }
    }

    @Test
    void instantAtTheEndOfTimeNeverComesAndCostsLittle() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            scheduleAt(time, Instant.MAX);
            long wakeUps = time.executor.snapshot().tick().wakeUps();
            time.pass(Duration.ofMinutes(10));
            assertThat(runs).isEmpty();
            assertThat(time.executor.snapshot().tick().wakeUps() - wakeUps).isBetween(300L, 1_200L);
        }
    }

    @Test
    void clockIsNotReadWithoutCalendarTimers() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            scheduleAt(time, after(Duration.ofSeconds(5)));
            WheelTimer<?> cancelled = time.executor.scheduleAt(() -> {}, after(Duration.ofHours(1)));
            WheelTimer<?> unused = time.executor.schedule(() -> {}, 100, HOURS);
            time.pass(Duration.ofSeconds(10));
            assertThat(cancelled.cancel(false)).isTrue();
            time.pass(Duration.ofSeconds(10));
            long wakeUps = time.executor.snapshot().tick().wakeUps();
            time.pass(Duration.ofHours(1));
            assertThat(time.executor.snapshot().tick().wakeUps()).isEqualTo(wakeUps);
        }
    }

    @Test
    void timerAddedDuringALongSleepFollowsTheClock() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            WheelTimer<?> unused = time.executor.schedule(() -> {}, 10, HOURS);
            time.awaitQuiet();
            scheduleAt(time, after(Duration.ofHours(11)));
            time.pass(Duration.ofMinutes(1));
            time.wallClock.moveBy(Duration.ofHours(11));
            time.pass(WITHIN);
            assertThat(runs).hasSize(1);
        }
    }

    @Test
    void dayOfASeriesThatNamesItsInstantsRunsOnceForEach() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            new Series(time).arm(1);
            time.pass(Duration.ofHours(6));
            time.wallClock.moveBy(Duration.ofMinutes(-90));
            time.pass(Duration.ofHours(20));
            assertThat(runs).hasSize(24);
            for (int i = 0; i < 24; i++) {
                assertThat(Duration.between(after(Duration.ofHours(i + 1)), runs.get(i)))
                        .isBetween(Duration.ZERO, WITHIN);
            }
            assertThat(time.executor.pendingCount()).isZero();
        }
    }

    @Test
    void jumpIsLoggedInWords() throws Exception {
        try (LogCapture log = LogCapture.of("io.github.wheelscheduler");
                VirtualTime time = new VirtualTime()) {
            scheduleAt(time, after(Duration.ofHours(1)));
            time.pass(Duration.ofSeconds(5));
            time.wallClock.moveBy(Duration.ofMinutes(-90));
            time.pass(WITHIN);
            assertThat(log.said("The wall clock has moved by -1 h 30 min against the monotonic clock"))
                    .hasSize(1);
        }
    }

    /** Runs on the hour for a day; each run arms the next. */
    private final class Series {

        private final VirtualTime time;
        private final Runnable endOfRun;
        private volatile WheelTimer<?> current;

        Series(VirtualTime time) {
            this(time, () -> {});
        }

        Series(VirtualTime time, Runnable endOfRun) {
            this.time = time;
            this.endOfRun = endOfRun;
        }

        void arm(int hour) {
            current = time.executor.scheduleAt(() -> run(hour), after(Duration.ofHours(hour)));
        }

        private void run(int hour) {
            runs.add(time.wallClock.instant());
            endOfRun.run();
            if (hour < 24) {
                current = time.executor.scheduleNext(current, () -> run(hour + 1), after(Duration.ofHours(hour + 1)));
            }
        }
    }
}
