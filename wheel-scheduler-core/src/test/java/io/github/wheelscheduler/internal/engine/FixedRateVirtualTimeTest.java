package io.github.wheelscheduler.internal.engine;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelTimer;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fixed rate and fixed delay to the nanosecond, in virtual time. */
class FixedRateVirtualTimeTest {

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "10, 10", "98, 98", "99, 99", "100, 99", "2147483647, 99"})
    void longPauseIsMadeUpToTheLimitThenThePhaseContinues(int maxCatchUp, int madeUp) throws Exception {
        try (VirtualTime time = new VirtualTime(builder -> builder.maxCatchUp(maxCatchUp))) {
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> unused = time.executor.scheduleAtFixedRate(task, 10, 10, MILLISECONDS);
            time.pass(Duration.ofMillis(25));
            assertThat(task.take()).containsExactly(10L, 20L);
            // The run of 30 is late; 40 to 1020 are missed, which is 99 runs.
            time.jump(Duration.ofSeconds(1));
            assertThat(task.take()).isEqualTo(Collections.nCopies(1 + madeUp, 1_025L));
            assertThat(time.executor.snapshot().totals().skipped()).isEqualTo(99 - madeUp);
            time.pass(Duration.ofMillis(20));
            assertThat(task.take()).containsExactly(1_030L, 1_040L);
            assertThat(time.executor.snapshot().totals().skipped()).isEqualTo(99 - madeUp);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 24", "1, 24", "0, 35", "1, 35", "10, 35"})
    void runThatOutlastsItsPeriodKeepsThePhase(int maxCatchUp, int tookMillis) throws Exception {
        try (VirtualTime time = new VirtualTime(builder -> builder.maxCatchUp(maxCatchUp))) {
            VirtualTime.Recorder recorder = time.recorder();
            AtomicInteger runs = new AtomicInteger();
            Runnable slowOnce = () -> {
                recorder.run();
                if (runs.incrementAndGet() == 1) {
                    time.clock.advance(Duration.ofMillis(tookMillis));
                }
            };
            WheelTimer<?> unused = time.executor.scheduleAtFixedRate(slowOnce, 10, 10, MILLISECONDS);
            time.pass(Duration.ofMillis(10));
            int missed = tookMillis / 10;
            int madeUp = Math.min(missed, maxCatchUp);
            long end = 10L + tookMillis;
            List<Long> atTheEnd = Collections.nCopies(madeUp, end);
            assertThat(recorder.take())
                    .startsWith(10L)
                    .endsWith(atTheEnd.toArray(Long[]::new))
                    .hasSize(1 + madeUp);
            assertThat(time.executor.snapshot().totals().skipped()).isEqualTo(missed - madeUp);
            time.pass(Duration.ofMillis(20));
            assertThat(recorder.take()).first().isEqualTo(10L * (missed + 2));
        }
    }

    @Test
    void runThatEndsAtTheNextDeadlineMissesNone() throws Exception {
        try (VirtualTime time = new VirtualTime(builder -> builder.maxCatchUp(0))) {
            VirtualTime.Recorder recorder = time.recorder();
            AtomicInteger runs = new AtomicInteger();
            Runnable onePeriodLong = () -> {
                recorder.run();
                if (runs.incrementAndGet() == 1) {
                    time.clock.advance(Duration.ofMillis(8));
                }
            };
            // A multiple of the deadlines' granularity, so that the end of the run meets the next deadline.
            WheelTimer<?> unused = time.executor.scheduleAtFixedRate(onePeriodLong, 0, 8, MILLISECONDS);
            time.pass(Duration.ZERO);
            assertThat(recorder.take()).containsExactly(0L, 8L);
            assertThat(time.executor.snapshot().totals().skipped()).isZero();
        }
    }

    @Test
    void dayOfAFixedRateTaskLosesAndShiftsNothing() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> unused = time.executor.scheduleAtFixedRate(task, 7_003, 7_003, MILLISECONDS);
            time.pass(Duration.ofDays(1));
            List<Long> expected = LongStream.iterate(7_003, millis -> millis <= 86_400_000, millis -> millis + 7_003)
                    .boxed()
                    .toList();
            assertThat(task.take()).isEqualTo(expected);
            assertThat(time.executor.snapshot().totals().skipped()).isZero();
        }
    }

    @Test
    void fixedDelayMakesNothingUpAfterALongPause() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> unused = time.executor.scheduleWithFixedDelay(task, 10, 10, MILLISECONDS);
            time.jump(Duration.ofHours(1));
            assertThat(task.take()).containsExactly(3_600_000L);
            time.pass(Duration.ofMillis(10));
            assertThat(task.take()).containsExactly(3_600_010L);
            assertThat(time.executor.snapshot().totals().skipped()).isZero();
        }
    }

    @Test
    void rescheduledFixedRateTaskContinuesFromItsNewTime() throws Exception {
        try (VirtualTime time = new VirtualTime()) {
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> timer = time.executor.scheduleAtFixedRate(task, 100, 10, MILLISECONDS);
            time.pass(Duration.ofMillis(50));
            assertThat(timer.reschedule(3, MILLISECONDS)).isTrue();
            time.pass(Duration.ofMillis(25));
            assertThat(task.take()).containsExactly(53L, 63L, 73L);
        }
    }
}
