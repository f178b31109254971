package io.github.wheelscheduler.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.internal.wheel.TimingWheel;
import io.github.wheelscheduler.testing.LogCapture;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Many timers follow the wall clock in parts, and what interrupts that leaves none behind. */
class WallClockWatchPartsTest {

    private static final int MANY = 100_000;
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long TICK_AND_ROUNDING = (1 << 14) + 8;

    private final ManualClock clock = new ManualClock(-5 * SECOND);
    private final ManualWallClock wallClock = new ManualWallClock(clock);
    private final TimingWheel wheel = new TimingWheel(14, clock.nanoTime());
    private Runnable beforeReading = () -> {};
    private Runnable afterReading = () -> {};
    private final WallClockWatch watch =
            new WallClockWatch(clock, this::readWallClock, WallClockWatch.CHECK_INTERVAL_NANOS, wheel);
    private final CountingOwner owner = new CountingOwner(0);
    private final List<InstantTimer> timers = new ArrayList<>();

    private Instant readWallClock() {
        beforeReading.run();
        Instant read = wallClock.instant();
        afterReading.run();
        return read;
    }

    private InstantTimer add(Duration ahead) {
        InstantTimer timer = new InstantTimer(owner, () -> {}, ManualWallClock.ORIGIN.plus(ahead), 0, false);
        watch.add(timer, clock.nanoTime());
        wheel.reposition(timer);
        timers.add(timer);
        return timer;
    }

    private void addMany() {
        for (int i = 0; i < MANY; i++) {
            InstantTimer ignored = add(Duration.ofHours(1).plusMillis(i));
        }
    }

    /** Passes until no timer is left to follow, and returns how many passes moved timers. */
    private int followAll() {
        int passes = 0;
        while (watch.nanosToNextCheck(clock.nanoTime()) < SECOND / 10) {
            long[] before = deadlines();
            watch.check(clock.nanoTime());
            int moved = countMoved(before);
            assertThat(moved).as("moved in one pass").isBetween(1, WallClockWatch.FOLLOW_LIMIT);
            passes++;
            assertThat(passes).isLessThan(MANY);
        }
        return passes;
    }

    private long[] deadlines() {
        return timers.stream().mapToLong(InstantTimer::deadlineNanos).toArray();
    }

    private int countMoved(long[] before) {
        int moved = 0;
        for (int i = 0; i < before.length; i++) {
            if (timers.get(i).deadlineNanos() != before[i]) {
                moved++;
            }
        }
        return moved;
    }

    private long rightDeadline(InstantTimer timer) {
        return clock.nanoTime()
                + Duration.between(wallClock.instant(), timer.instant).toNanos();
    }

    private void checkDeadlines() {
        assertThat(timers).isNotEmpty();
        LongStream tooLate = timers.stream().mapToLong(timer -> timer.deadlineNanos() - rightDeadline(timer));
        LongSummaryStatistics statistics = tooLate.summaryStatistics();
        assertThat(statistics.getMin()).isNotNegative();
        assertThat(statistics.getMax()).isLessThanOrEqualTo(8);
    }

    private void toNextCheck() {
        clock.advance(Duration.ofNanos(watch.nanosToNextCheck(clock.nanoTime())));
    }

    @Test
    void manyTimersFollowInPartsAndAllOfThemDo() {
        addMany();
        wallClock.moveBy(Duration.ofMinutes(30));
        toNextCheck();
        assertThat(followAll()).isGreaterThanOrEqualTo(MANY / WallClockWatch.FOLLOW_LIMIT);
        checkDeadlines();
        assertThat(watch.jumps.sum()).isOne();
        long first = rightDeadline(timers.get(0)) - clock.nanoTime();
        assertThat(wheel.nanosToNextExpiry(clock.nanoTime())).isBetween(0L, first + TICK_AND_ROUNDING);
        clock.advance(Duration.ofNanos(first + TICK_AND_ROUNDING));
        List<Object> expired = new ArrayList<>();
        assertThat(wheel.advance(clock.nanoTime(), Integer.MAX_VALUE, expired::add))
                .isPositive();
        assertThat(expired).containsExactly(timers.get(0));
    }

    @Test
    void timersThatComeAndGoMeanwhileLeaveNoneOut() {
        addMany();
        wallClock.moveBy(Duration.ofMinutes(-30));
        toNextCheck();
        int removed = 0;
        while (watch.nanosToNextCheck(clock.nanoTime()) == 0) {
            watch.check(clock.nanoTime());
            for (int i = 0; i < 700; i++) {
                InstantTimer timer = timers.remove(removed++ % 3 == 0 ? 0 : timers.size() / 2);
                assertThat(wheel.remove(timer)).isTrue();
                watch.unwatch(timer);
            }
            InstantTimer ignored = add(Duration.ofHours(2));
        }
        checkDeadlines();
    }

    @Test
    void clockThatMovesAgainMeanwhileIsFollowedByAll() {
        addMany();
        wallClock.moveBy(Duration.ofMinutes(30));
        toNextCheck();
        watch.check(clock.nanoTime());
        for (int jump = 2; jump < 5; jump++) {
            clock.advance(Duration.ofSeconds(1));
            wallClock.moveBy(Duration.ofMinutes(-7));
            watch.check(clock.nanoTime());
            assertThat(watch.jumps.sum()).isEqualTo(jump);
        }
        while (watch.nanosToNextCheck(clock.nanoTime()) == 0) {
            watch.check(clock.nanoTime());
        }
        checkDeadlines();
    }

    @Test
    void everMovingClockIsFollowedByTheFirstTimers() {
        addMany();
        long[] before = deadlines();
        for (int i = 0; i < 2 * MANY / WallClockWatch.FOLLOW_LIMIT; i++) {
            wallClock.moveBy(Duration.ofMinutes(1));
            clock.advance(Duration.ofSeconds(1));
            watch.check(clock.nanoTime());
        }
        assertThat(countMoved(before)).isEqualTo(MANY);
    }

    @Test
    void lackOfMemoryPutsOffWhatIsLeft() {
        addMany();
        wallClock.moveBy(Duration.ofMinutes(30));
        beforeReading = () -> {
            throw new OutOfMemoryError("on purpose");
        };
        toNextCheck();
        watch.check(clock.nanoTime());
        assertThat(watch.nanosToNextCheck(clock.nanoTime())).isPositive();
        beforeReading = () -> {};
        toNextCheck();
        int ignored = followAll();
        checkDeadlines();
        assertThat(watch.jumps.sum()).isOne();
    }

    @Test
    void timerUnwatchedForLackOfMemoryCanBeAddedAgain() {
        InstantTimer other = add(Duration.ofHours(1));
        InstantTimer timer = new InstantTimer(owner, () -> {}, ManualWallClock.ORIGIN.plusSeconds(7_200), 0, false);
        beforeReading = () -> {
            throw new OutOfMemoryError("on purpose");
        };
        assertThatThrownBy(() -> watch.add(timer, clock.nanoTime())).isInstanceOf(OutOfMemoryError.class);
        assertThatThrownBy(() -> watch.isEarly(other, clock.nanoTime())).isInstanceOf(OutOfMemoryError.class);
        assertThat(timer.watchIndex).isNegative();
        beforeReading = () -> {};
        watch.add(timer, clock.nanoTime());
        watch.unwatch(other);
        assertThat(timer.watchIndex).isZero();
        watch.unwatch(timer);
        assertThat(watch.nanosToNextCheck(clock.nanoTime())).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void stallBeforeTheWallClockIsReadIsNoJump() {
        InstantTimer ignored = add(Duration.ofHours(1));
        toNextCheck();
        beforeReading = this::stallOnce;
        watch.check(clock.nanoTime());
        assertThat(watch.jumps.sum()).isZero();
        checkDeadlines();
    }

    @Test
    void stallAfterTheWallClockHasBeenReadIsNoJump() {
        InstantTimer ignored = add(Duration.ofHours(1));
        toNextCheck();
        afterReading = this::stallOnce;
        watch.check(clock.nanoTime());
        assertThat(watch.jumps.sum()).isZero();
        checkDeadlines();
    }

    @Test
    void stallBeforeTheCheckIsNoJump() {
        InstantTimer ignored = add(Duration.ofHours(1));
        toNextCheck();
        long passStartNanos = clock.nanoTime();
        clock.advance(Duration.ofSeconds(2));
        watch.check(passStartNanos);
        assertThat(watch.jumps.sum()).isZero();
        checkDeadlines();
    }

    @Test
    void stallWhileTheFirstTimerIsAddedIsNoJump() {
        beforeReading = this::stallOnce;
        InstantTimer ignored = add(Duration.ofHours(1));
        for (int i = 0; i < 3; i++) {
            toNextCheck();
            watch.check(clock.nanoTime());
        }
        assertThat(watch.jumps.sum()).isZero();
        checkDeadlines();
    }

    @Test
    void slowClockIsFollowedAsFarAsItCanBeRead() {
        beforeReading = () -> clock.advance(Duration.ofMillis(5));
        afterReading = beforeReading;
        InstantTimer timer = add(Duration.ofHours(1));
        for (int i = 0; i < 5; i++) {
            toNextCheck();
            watch.check(clock.nanoTime());
        }
        assertThat(watch.jumps.sum()).isZero();
        wallClock.moveBy(Duration.ofMinutes(30));
        toNextCheck();
        watch.check(clock.nanoTime());
        assertThat(watch.jumps.sum()).isOne();
        assertThat(timer.deadlineNanos() - rightDeadline(timer)).isBetween(-SECOND / 10, 0L);
        wallClock.moveBy(Duration.ofMinutes(-30));
        toNextCheck();
        watch.check(clock.nanoTime());
        assertThat(watch.jumps.sum()).isEqualTo(2);
    }

    @Test
    void jumpIsLoggedOnce() {
        try (LogCapture log = LogCapture.ofPackage(WheelScheduledExecutor.class)) {
            addMany();
            wallClock.moveBy(Duration.ofMinutes(30));
            toNextCheck();
            int ignored = followAll();
            assertThat(log.messages()).hasSize(1);
        }
    }

    private void stallOnce() {
        beforeReading = () -> {};
        afterReading = () -> {};
        clock.advance(Duration.ofSeconds(2));
    }
}
