package io.github.wheelscheduler.internal.engine;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.Pacing;
import io.github.wheelscheduler.RunObserver;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.Seed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs of repeating timers that may start late share wake-ups, in virtual time. */
class StartToleranceTest {

    private static final long SECOND = 1_000_000_000;

    /** Of deadlines, and of the tick. */
    private static final long ROUNDING = 8 + 1_024;

    private static VirtualTime tolerating(Duration tolerance) {
        return new VirtualTime(builder -> builder.startTolerance(tolerance));
    }

    private static long wakeUps(VirtualTime time) {
        return time.executor.snapshot().tick().wakeUps();
    }

    // Which tolerance

    @ParameterizedTest
    @CsvSource({
        "0, 500, 0",
        "-1, 500, 0",
        "1, 500, 1",
        "1, 0, 0",
        "500, 500, 500",
        "501, 500, 250",
        "1000, 500, 500",
        "1000, 499, 250",
        "9223372036854775807, 500, 255",
        "9223372036854775807, 9223372036854775807, 2305843009213693951"
    })
    void tooLongToleranceIsHalvedUntilItFits(long nanos, long limitNanos, long cutNanos) {
        assertThat(Pacing.cutTolerance(nanos, limitNanos)).isEqualTo(cutNanos);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 10, 0",
        "1, 10, 10",
        "10, 10, 10",
        "11, 10, 20",
        "-1, 10, 0",
        "-10, 10, -10",
        "-11, 10, -10",
        "7, 1, 7"
    })
    void startIsTheNextMultiple(long dueNanos, long toleranceNanos, long startNanos) {
        assertThat(StartTolerance.startOf(dueNanos, toleranceNanos)).isEqualTo(startNanos);
    }

    @Test
    void startIsWithinTheToleranceWhereTimeWrapsAround() {
        for (long due : new long[] {Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - 3, Long.MIN_VALUE + 3}) {
            assertThat(StartTolerance.startOf(due, 1_000) - due).isBetween(0L, 999L);
        }
    }

    @Test
    void negativeToleranceIsRefused() {
        assertThatThrownBy(() -> WheelScheduledExecutor.builder().startTolerance(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("startTolerance must not be negative, was PT-0.000000001S");
    }

    @Test
    void groupHasThatOfItsExecutorOrItsOwn() throws Exception {
        try (VirtualTime time = tolerating(Duration.ofMillis(400))) {
            WheelScheduledExecutor own =
                    time.executor.newGroup("own").startTolerance(Duration.ZERO).build();
            WheelScheduledExecutor same = time.executor.group("same");
            assertThat(own.startTolerance()).isZero();
            assertThat(same.startTolerance()).isEqualTo(Duration.ofMillis(400));
            VirtualTime.Recorder ofOwn = time.recorder();
            VirtualTime.Recorder ofSame = time.recorder();
            WheelTimer<?> ignored = own.scheduleAtFixedRate(ofOwn, 100, 1_000, MILLISECONDS);
            WheelTimer<?> unused = same.scheduleAtFixedRate(ofSame, 100, 1_000, MILLISECONDS);
            time.pass(Duration.ofMillis(1_500));
            assertThat(ofOwn.take()).containsExactly(100L, 1_100L);
            assertThat(ofSame.take()).containsExactly(400L, 1_200L);
        }
    }

    @Test
    void taskHasAToleranceOfItsOwn() throws Exception {
        try (VirtualTime time = tolerating(Duration.ofMillis(400))) {
            VirtualTime.Recorder exact = time.recorder();
            VirtualTime.Recorder other = time.recorder();
            WheelTimer<?> ignored =
                    time.executor.scheduleAtFixedRate(new Tolerating(exact, 0), 100, 1_000, MILLISECONDS);
            WheelTimer<?> unused =
                    time.executor.scheduleAtFixedRate(new Tolerating(other, SECOND / 4), 100, 1_000, MILLISECONDS);
            time.pass(Duration.ofMillis(1_500));
            assertThat(exact.take()).containsExactly(100L, 1_100L);
            assertThat(other.take()).containsExactly(250L, 1_250L);
        }
    }

    @Test
    void booksOfAWrappedTaskSayItsTolerance() throws Exception {
        VirtualTime.Recorder[] recorder = {null};
        try (VirtualTime time = new VirtualTime(builder ->
                builder.startTolerance(Duration.ofMillis(400)).decorator(timer -> new Tolerating(() -> {}, 0)))) {
            recorder[0] = time.recorder();
            WheelTimer<?> ignored = time.executor.scheduleAtFixedRate(recorder[0], 100, 1_000, MILLISECONDS);
            time.pass(Duration.ofMillis(1_500));
            assertThat(recorder[0].take()).containsExactly(100L, 1_100L);
        }
    }

    // When runs start

    @Test
    void timerWithoutToleranceIsOfTheSmallerKind() throws Exception {
        try (VirtualTime time = tolerating(Duration.ZERO)) {
            assertThat((Object) time.executor.scheduleAtFixedRate(() -> {}, 1, 1, SECONDS))
                    .isExactlyInstanceOf(PeriodicTimer.class);
            assertThat((Object) time.executor.scheduleAt(
                            () -> {}, time.wallClock.instant().plusSeconds(9)))
                    .isExactlyInstanceOf(InstantTimer.class);
        }
    }

    @Test
    void rateStartsAtTheGridAndKeepsItsPhase() throws Exception {
        try (VirtualTime time = tolerating(Duration.ofMillis(7))) {
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> timer = time.executor.scheduleAtFixedRate(task, 3, 100, MILLISECONDS);
            assertThat(timer.getDelay(MILLISECONDS)).isEqualTo(3);
            time.pass(Duration.ofMillis(310));
            // Due at 3, 103, 203 and 303.
            assertThat(task.take()).containsExactly(7L, 105L, 203L, 308L);
            assertThat(timer.getDelay(MILLISECONDS)).isBetween(92L, 93L);
        }
    }

    @Test
    void delayCountsFromTheEndOfTheRun() throws Exception {
        try (VirtualTime time = tolerating(Duration.ofMillis(40))) {
            VirtualTime.Recorder recorder = time.recorder();
            Runnable slow = () -> {
                recorder.run();
                time.clock.advance(Duration.ofMillis(5));
            };
            WheelTimer<?> ignored = time.executor.scheduleWithFixedDelay(slow, 10, 100, MILLISECONDS);
            time.pass(Duration.ofMillis(300));
            // Due at 10, 145 and 265.
            assertThat(recorder.take()).containsExactly(40L, 160L, 280L);
        }
    }

    @Test
    void randomTimersAreNeverEarlyNorBeyondTheirTolerance() {
        for (int round = 0; round < Scale.of(5, 20, 100); round++) {
            Seed.play(StartToleranceTest::playTimers);
        }
    }

    private static void playTimers(SplittableRandom random) throws Exception {
        long tolerance = 1 + random.nextLong(random.nextBoolean() ? 100 : SECOND);
        long origin = random.nextLong(-10 * SECOND, 10 * SECOND);
        try (VirtualTime time = new VirtualTime(
                origin,
                builder -> builder.startTolerance(Duration.ofNanos(tolerance)).maxWorkers(4))) {
            List<Probe> probes = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                long period = 1_000_000 + random.nextLong(SECOND);
                long first = random.nextLong(1, SECOND);
                Probe probe = new Probe(time, time.clock.nanoTime() + first, period, tolerance);
                probe.timer = time.executor.scheduleAtFixedRate(probe, first, period, NANOSECONDS);
                probes.add(probe);
            }
            for (int step = 0; step < 10; step++) {
                time.pass(Duration.ofNanos(random.nextLong(SECOND)));
                Probe one = probes.get(random.nextInt(probes.size()));
                if (random.nextInt(3) == 0 && one.timer != null) {
                    assertThat(one.timer.cancel(false)).isTrue();
                    one.timer = null;
                }
            }
            for (Probe probe : probes) {
                assertThat(probe.wrong)
                        .as("tolerance %d, period %d", tolerance, probe.period)
                        .isEmpty();
            }
            assertThat(probes).anyMatch(probe -> probe.runs > 1);
        }
    }

    /** A rate that knows when its runs are due. One run at a time. */
    private static final class Probe implements Runnable {

        private final VirtualTime time;
        private final long firstNanos;
        private final long period;
        private final long tolerance;
        private final List<Long> wrong = Collections.synchronizedList(new ArrayList<>());
        private WheelTimer<?> timer;
        private long runs;

        Probe(VirtualTime time, long firstNanos, long period, long tolerance) {
            this.time = time;
            this.firstNanos = firstNanos;
            this.period = period;
            this.tolerance = Math.min(tolerance, period / 2);
        }

        @Override
        public void run() {
            long late = time.clock.nanoTime() - (firstNanos + runs++ * period);
            if (late < 0 || late > tolerance + ROUNDING) {
                wrong.add(late);
            }
        }
    }

    // Wake-ups

    @ParameterizedTest
    @CsvSource({"0, 1000, 2000", "1000, 2, 4", "500, 2, 4", "250, 4, 6"})
    void thousandRatesShareWakeUps(int toleranceMillis, int atLeast, int atMost) throws Exception {
        try (VirtualTime time = tolerating(Duration.ofMillis(toleranceMillis))) {
            AtomicInteger runs = new AtomicInteger();
            for (int i = 0; i < 1_000; i++) {
                WheelTimer<?> ignored = time.executor.scheduleAtFixedRate(
                        runs::incrementAndGet, SECOND + i * 1_000_003L, SECOND, NANOSECONDS);
            }
            time.pass(Duration.ofSeconds(3));
            int runsBefore = runs.get();
            long before = wakeUps(time);
            time.pass(Duration.ofSeconds(10));
            assertThat(runs.get() - runsBefore).isBetween(9_990, 10_010);
            // Each pass() wakes it up once more for itself.
            assertThat(wakeUps(time) - before).isBetween(10L * atLeast, 10L * atMost);
        }
    }

    // What waits for nothing

    @Test
    void firstRunForNowWaitsForNothing() throws Exception {
        try (VirtualTime time = tolerating(Duration.ofMillis(400))) {
            time.clock.advance(Duration.ofMillis(150));
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> ignored = time.executor.scheduleAtFixedRate(task, 0, 1_000, MILLISECONDS);
            time.awaitQuiet();
            assertThat(task.take()).containsExactly(150L);
        }
    }

    @Test
    void madeUpRunsWaitForNothing() throws Exception {
        try (VirtualTime time = tolerating(Duration.ofMillis(40))) {
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> ignored = time.executor.scheduleAtFixedRate(task, 10, 100, MILLISECONDS);
            time.pass(Duration.ofMillis(50));
            assertThat(task.take()).containsExactly(40L);
            time.jump(Duration.ofMillis(375));
            assertThat(task.take()).containsExactly(425L, 425L, 425L, 425L);
            time.pass(Duration.ofMillis(100));
            // Due at 510.
            assertThat(task.take()).containsExactly(520L);
        }
    }

    @Test
    void movedTimerStartsWhenItIsMovedTo() throws Exception {
        try (VirtualTime time = tolerating(Duration.ofMillis(400))) {
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> timer = time.executor.scheduleAtFixedRate(task, 100, 1_000, MILLISECONDS);
            time.pass(Duration.ofMillis(150));
            assertThat(task.take()).isEmpty();
            assertThat(timer.reschedule(0, MILLISECONDS)).isTrue();
            time.pass(Duration.ZERO);
            assertThat(task.take()).containsExactly(150L);
            assertThat(timer.reschedule(33, MILLISECONDS)).isTrue();
            time.pass(Duration.ofMillis(100));
            assertThat(task.take()).containsExactly(183L);
            time.pass(Duration.ofMillis(1_100));
            // Due at 1183.
            assertThat(task.take()).containsExactly(1_200L);
        }
    }

    @Test
    void runPastItsToleranceWaitsForNothingAfterAPause() throws Exception {
        try (VirtualTime time = tolerating(Duration.ofMillis(400))) {
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> ignored = time.executor.scheduleAtFixedRate(task, 100, 1_000, MILLISECONDS);
            time.executor.pause();
            time.pass(Duration.ofMillis(650));
            assertThat(task.take()).isEmpty();
            time.executor.resume();
            time.awaitQuiet();
            assertThat(task.take()).containsExactly(650L);
            time.pass(Duration.ofMillis(600));
            assertThat(task.take()).containsExactly(1_200L);
        }
    }

    @Test
    void runPastItsToleranceWaitsForNothingAfterAHalt() throws Exception {
        try (VirtualTime time = tolerating(Duration.ofMillis(400))) {
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> ignored = time.executor.scheduleAtFixedRate(task, 100, 1_000, MILLISECONDS);
            time.executor.halt();
            time.pass(Duration.ofMillis(650));
            assertThat(task.take()).isEmpty();
            time.executor.proceed();
            time.awaitQuiet();
            assertThat(task.take()).containsExactly(650L);
        }
    }

    @Test
    void runOfAFullGroupStartsWhenThereIsASlot() throws Exception {
        try (VirtualTime time = tolerating(Duration.ofMillis(400))) {
            WheelScheduledExecutor group = time.executor
                    .newGroup("group")
                    .maxWorkers(1)
                    .queueCapacity(0)
                    .onFull(OnFull.WAIT)
                    .build();
            VirtualTime.Recorder task = time.recorder();
            Gate gate = new Gate();
            time.setBlocked(group, true);
            group.execute(gate);
            WheelTimer<?> ignored = group.scheduleAtFixedRate(task, 100, 1_000, MILLISECONDS);
            time.pass(Duration.ofMillis(470));
            assertThat(task.take()).isEmpty();
            time.setBlocked(group, false);
            gate.open();
            time.awaitQuiet();
            assertThat(task.take()).containsExactly(470L);
        }
    }

    // One-time timers, and the others

    @Test
    void oneTimeTimersStartWhenTheyAreDue() throws Exception {
        try (VirtualTime time = tolerating(Duration.ofMillis(400))) {
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> ignored = time.executor.schedule(task, 100, MILLISECONDS);
            time.pass(Duration.ofMillis(110));
            assertThat(task.take()).containsExactly(100L);
        }
    }

    @Test
    void ordersAndLooksGoByWhenTimersAreDue() throws Exception {
        try (VirtualTime time = tolerating(Duration.ofMillis(400))) {
            WheelTimer<?> tolerant = time.executor.scheduleAtFixedRate(() -> {}, 100, 1_000, MILLISECONDS);
            WheelTimer<?> exact = time.executor.schedule(() -> {}, 200, MILLISECONDS);
            assertThat(tolerant.compareTo(exact)).isNegative();
            assertThat(time.executor.deadlineNanos(tolerant) - time.executor.nanoTime())
                    .isEqualTo(100_000_000);
            assertThat(time.executor.shutdownNow()).containsExactly(tolerant, exact);
        }
    }

    // The wall clock

    @Test
    void instantStartsAtTheGridOfTheMonotonicClock() throws Exception {
        try (VirtualTime time = tolerating(Duration.ZERO)) {
            VirtualTime.Recorder task = time.recorder();
            Instant instant = time.wallClock.instant().plusMillis(130);
            WheelTimer<?> timer = time.executor.scheduleAt(task, instant, Duration.ofMillis(50));
            assertThat(timer.getDelay(MILLISECONDS)).isEqualTo(130);
            time.pass(Duration.ofMillis(200));
            assertThat(task.take()).containsExactly(150L);
        }
    }

    @Test
    void passedInstantWaitsForNothing() throws Exception {
        try (VirtualTime time = tolerating(Duration.ZERO)) {
            time.clock.advance(Duration.ofMillis(130));
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> ignored = time.executor.scheduleAt(task, time.wallClock.instant(), Duration.ofMillis(50));
            time.awaitQuiet();
            assertThat(task.take()).containsExactly(130L);
        }
    }

    @Test
    void instantThatTheClockJumpsOverWaitsForNothing() throws Exception {
        try (VirtualTime time = tolerating(Duration.ZERO)) {
            VirtualTime.Recorder task = time.recorder();
            Instant instant = time.wallClock.instant().plusSeconds(3_600);
            WheelTimer<?> ignored = time.executor.scheduleAt(task, instant, Duration.ofSeconds(700));
            time.pass(Duration.ofMillis(130));
            time.wallClock.moveBy(Duration.ofHours(2));
            time.executor.checkWallClock();
            time.pass(Duration.ZERO);
            assertThat(task.take()).containsExactly(130L);
        }
    }

    @Test
    void clockThatIsSetBackCausesNoEarlyRun() throws Exception {
        try (VirtualTime time = tolerating(Duration.ZERO)) {
            List<Instant> runs = Collections.synchronizedList(new ArrayList<>());
            Instant instant = time.wallClock.instant().plusSeconds(10);
            WheelTimer<?> ignored =
                    time.executor.scheduleAt(() -> runs.add(time.wallClock.instant()), instant, Duration.ofSeconds(4));
            time.pass(Duration.ofMillis(10_500));
            assertThat(runs).isEmpty();
            time.wallClock.moveBy(Duration.ofHours(-1));
            time.pass(Duration.ofMinutes(59));
            assertThat(runs).isEmpty();
            time.pass(Duration.ofMinutes(2));
            assertThat(runs)
                    .singleElement()
                    .satisfies(run -> assertThat(Duration.between(instant, run))
                            .isBetween(Duration.ZERO, Duration.ofMillis(5_001)));
        }
    }

    @Test
    void nextInstantOfASeriesHasItsOwnTolerance() throws Exception {
        try (VirtualTime time = tolerating(Duration.ZERO)) {
            VirtualTime.Recorder recorder = time.recorder();
            Instant first = time.wallClock.instant().plusMillis(130);
            List<WheelTimer<?>> timers = Collections.synchronizedList(new ArrayList<>());
            Runnable task = () -> {
                recorder.run();
                if (timers.size() == 1) {
                    timers.add(time.executor.scheduleNext(
                            timers.get(0), recorder, first.plusMillis(300), Duration.ofMillis(40)));
                }
            };
            timers.add(time.executor.scheduleAt(task, first, Duration.ofMillis(50)));
            time.pass(Duration.ofMillis(600));
            assertThat(recorder.take()).containsExactly(150L, 440L);
        }
    }

    @Test
    void negativeToleranceOfAnInstantIsRefused() throws Exception {
        try (VirtualTime time = tolerating(Duration.ZERO)) {
            assertThatThrownBy(() -> time.executor.scheduleAt(() -> {}, Instant.EPOCH, Duration.ofMillis(-1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("tolerance must not be negative, was PT-0.001S");
        }
    }

    // Lateness

    @Test
    void latenessBeginsAfterTheTolerance() throws Exception {
        try (VirtualTime time = tolerating(Duration.ofMillis(40))) {
            List<Long> late = Collections.synchronizedList(new ArrayList<>());
            time.executor.setRunObserver(new RunObserver() {
                @Override
                public void starting(Object task, long beforeNanos, long queueNanos, long nowNanos) {
                    late.add(NANOSECONDS.toMillis(beforeNanos + queueNanos));
                }
            });
            WheelTimer<?> ignored = time.executor.scheduleAtFixedRate(() -> {}, 10, 100, MILLISECONDS);
            time.pass(Duration.ofMillis(60));
            assertThat(late).containsExactly(0L);
            // Due at 110, in time until 150.
            time.jump(Duration.ofMillis(75));
            assertThat(late).containsExactly(0L, 0L);
            time.jump(Duration.ofMillis(138));
            assertThat(late).containsExactly(0L, 0L, 23L);
        }
    }

    @Test
    void latenessInTheQueueBeginsAfterTheTolerance() throws Exception {
        try (VirtualTime time = new VirtualTime(
                builder -> builder.startTolerance(Duration.ofMillis(40)).maxWorkers(1))) {
            List<Long> late = Collections.synchronizedList(new ArrayList<>());
            time.executor.setRunObserver(new RunObserver() {
                @Override
                public void starting(Object task, long beforeNanos, long queueNanos, long nowNanos) {
                    late.add(NANOSECONDS.toMillis(beforeNanos + queueNanos));
                }
            });
            // Due at 10 and at 15, handed over at 40.
            WheelTimer<?> ignored = time.executor.scheduleAtFixedRate(
                    () -> time.clock.advance(Duration.ofMillis(12)), 10, 100, MILLISECONDS);
            WheelTimer<?> unused = time.executor.scheduleAtFixedRate(() -> {}, 15, 100, MILLISECONDS);
            time.pass(Duration.ofMillis(60));
            assertThat(late).containsExactly(0L, 0L);
        }
    }

    /** A task that says its tolerance. */
    private record Tolerating(Runnable task, long nanos) implements ManagedTask, Runnable, Pacing {

        @Override
        public void run() {
            task.run();
        }

        @Override
        public Pacing pacing() {
            return this;
        }

        @Override
        public long startToleranceNanos(long usualNanos) {
            return nanos;
        }

        @Override
        public long skipped(long missed, int maxCatchUp) {
            return 0;
        }

        @Override
        public long restNanos() {
            return 0;
        }

        @Override
        public long drawPutOffNanos() {
            return 0;
        }

        @Override
        public long putOffNanos() {
            return 0;
        }

        @Override
        public void refused(RejectedExecutionException reason) {
            throw new AssertionError(reason);
        }

        @Override
        public String taskName() {
            return "tolerating";
        }
    }
}
