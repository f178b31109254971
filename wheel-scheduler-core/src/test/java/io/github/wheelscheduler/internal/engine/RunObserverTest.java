package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.RunObserver;
import io.github.wheelscheduler.RunningTask;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import io.github.wheelscheduler.testing.WorkerKind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an observer is told of runs: how late they start, and why. */
class RunObserverTest {

    private static final long ROUNDING_NANOS = 20_000;

    private final List<Seen> seen = new CopyOnWriteArrayList<>();

    private record Seen(Object task, long wheelNanos, long queueNanos) {}

    private static VirtualTime time(WorkerKind kind) {
        return new VirtualTime(kind::applyTo);
    }

    @ParameterizedTest
    @EnumSource
    void runThatIsOnTimeIsNotLate(WorkerKind kind) {
        try (VirtualTime time = time(kind)) {
            observe(time);
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> ignored = time.executor.schedule(task, 100, MILLISECONDS);
            time.pass(Duration.ofMillis(100));
            assertThat(seen).hasSize(1);
            assertThat(seen.get(0).task).isSameAs(task);
            assertThat(seen.get(0).wheelNanos).isBetween(0L, ROUNDING_NANOS);
            assertThat(seen.get(0).queueNanos).isBetween(0L, ROUNDING_NANOS);
        }
    }

    @ParameterizedTest
    @EnumSource
    void tickThreadThatOversleepsIsToldAsLatenessOfTheWheel(WorkerKind kind) {
        try (VirtualTime time = time(kind)) {
            observe(time);
            WheelTimer<?> ignored = time.executor.schedule(time.recorder(), 100, MILLISECONDS);
            time.awaitQuiet();
            time.jump(Duration.ofMillis(350));
            assertThat(seen).hasSize(1);
            assertThat(seen.get(0).wheelNanos).isCloseTo(MILLISECONDS.toNanos(250), within(ROUNDING_NANOS));
            assertThat(seen.get(0).queueNanos).isBetween(0L, ROUNDING_NANOS);
        }
    }

    @Test
    void waitForABusyWorkerIsToldAsLatenessOfTheQueue() {
        try (VirtualTime time = new VirtualTime(builder -> builder.maxWorkers(1))) {
            observe(time);
            Gate gate = new Gate();
            WheelTimer<?> holding = time.executor.schedule(gate, 0, MILLISECONDS);
            gate.awaitArrivals(1);
            WheelTimer<?> waiting = time.executor.schedule(time.recorder(), 10, MILLISECONDS);
            awaitThat(() -> EngineOf.executor(time.executor).inbox.isEmpty());
            time.clock.advance(Duration.ofMillis(11));
            awaitThat(() -> time.executor.readyCount() == 1);
            time.clock.advance(Duration.ofMillis(490));
            assertThat(time.executor.snapshot().oldestReady()).isCloseTo(Duration.ofMillis(490), Duration.ofMillis(2));
            gate.open();
            time.awaitQuiet();
            assertThat(holding.isDone() && waiting.isDone()).isTrue();
            assertThat(seen).hasSize(2);
            assertThat(seen.get(1).queueNanos).isCloseTo(MILLISECONDS.toNanos(490), within(MILLISECONDS.toNanos(2)));
            assertThat(seen.get(1).wheelNanos).isBetween(0L, MILLISECONDS.toNanos(2));
        }
    }

    @Test
    void timersThatWorkersHaveNoRoomForWaitForTheWorkersToo() {
        try (VirtualTime time = new VirtualTime(builder -> builder.maxWorkers(1))) {
            observe(time);
            Gate gate = new Gate();
            WheelTimer<?> holding = time.executor.schedule(gate, 0, MILLISECONDS);
            gate.awaitArrivals(1);
            int count = 10_000;
            for (int i = 0; i < count; i++) {
                WheelTimer<?> ignored = time.executor.schedule(() -> {}, 10, MILLISECONDS);
            }
            time.clock.advance(Duration.ofMillis(11));
            awaitThat(
                    () -> EngineOf.executor(time.executor).dispatcher().shortcut.isHeldUp());
            time.clock.advance(Duration.ofMillis(490));
            gate.open();
            time.awaitQuiet();
            assertThat(holding.isDone()).isTrue();
            assertThat(seen).hasSize(1 + count);
            long allowed = MILLISECONDS.toNanos(5);
            assertThat(seen.subList(1, 1 + count))
                    .allMatch(run -> run.wheelNanos <= allowed)
                    .allMatch(run -> Math.abs(run.queueNanos - MILLISECONDS.toNanos(490)) <= allowed);
        }
    }

    @Test
    void everyRunOfASeriesIsToldWithItsOwnDeadline() {
        try (VirtualTime time = new VirtualTime()) {
            observe(time);
            WheelTimer<?> ignored = time.executor.scheduleAtFixedRate(time.recorder(), 100, 100, MILLISECONDS);
            time.pass(Duration.ofMillis(300));
            time.jump(Duration.ofMillis(150));
            assertThat(seen).hasSize(4);
            assertThat(seen.subList(0, 3)).allMatch(run -> run.wheelNanos <= ROUNDING_NANOS);
            assertThat(seen.get(3).wheelNanos).isCloseTo(MILLISECONDS.toNanos(50), within(2 * ROUNDING_NANOS));
        }
    }

    @Test
    void cancelledRunIsNotTold() {
        try (VirtualTime time = new VirtualTime(builder -> builder.maxWorkers(1))) {
            observe(time);
            Gate gate = new Gate();
            WheelTimer<?> holding = time.executor.schedule(gate, 0, MILLISECONDS);
            gate.awaitArrivals(1);
            WheelTimer<?> waiting = time.executor.schedule(time.recorder(), 0, MILLISECONDS);
            awaitThat(() -> time.executor.readyCount() == 1);
            assertThat(waiting.cancel(false)).isTrue();
            gate.open();
            time.awaitQuiet();
            assertThat(holding.isDone()).isTrue();
            assertThat(seen).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void observerThatThrowsHarmsNoRunAndIsLoggedOnce(WorkerKind kind) {
        try (VirtualTime time = time(kind);
                LogCapture log = LogCapture.ofPackage(RunObserver.class)) {
            time.executor.setRunObserver((task, wheelNanos, queueNanos, nowNanos) -> {
                throw new IllegalStateException("from the observer");
            });
            VirtualTime.Recorder task = time.recorder();
            WheelTimer<?> ignored = time.executor.scheduleAtFixedRate(task, 10, 10, MILLISECONDS);
            time.pass(Duration.ofMillis(30));
            assertThat(task.take()).containsExactly(10L, 20L, 30L);
            assertThat(log.messages()).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void runsThatAreGoingOnAreKnownWhileThereIsAnObserver(WorkerKind kind) {
        try (VirtualTime time = time(kind)) {
            observe(time);
            Gate gate = new Gate();
            WheelTimer<?> ignored = time.executor.schedule(gate, 1, MILLISECONDS);
            time.clock.advance(Duration.ofMillis(2));
            gate.awaitArrivals(1);
            time.clock.advance(Duration.ofSeconds(3));
            assertThat(time.executor.runningFor(Duration.ofSeconds(4))).isEmpty();
            List<RunningTask> running = time.executor.runningFor(Duration.ofSeconds(3));
            assertThat(running).hasSize(1);
            assertThat(running.get(0).task()).isSameAs(gate);
            assertThat(running.get(0).runningFor()).isEqualTo(Duration.ofSeconds(3));
            assertThat(running.get(0).thread().isAlive()).isTrue();
            gate.open();
            awaitThat(() -> time.executor.runningFor(Duration.ZERO).isEmpty());
        }
    }

    @Test
    void nothingIsToldAnyMoreOnceThereIsNoObserver() {
        try (VirtualTime time = new VirtualTime()) {
            observe(time);
            time.executor.setRunObserver(null);
            AtomicInteger runs = new AtomicInteger();
            WheelTimer<?> ignored = time.executor.schedule(runs::incrementAndGet, 0, NANOSECONDS);
            time.awaitQuiet();
            assertThat(runs).hasValue(1);
            assertThat(seen).isEmpty();
            assertThat(time.executor.runningFor(Duration.ZERO)).isEmpty();
        }
    }

    private void observe(VirtualTime time) {
        // A timer that is far away, so that quiet time can be told from time that has not begun.
        WheelTimer<?> ignored = time.executor.schedule(() -> {}, 1, HOURS);
        time.executor.setRunObserver(
                (task, wheelNanos, queueNanos, nowNanos) -> seen.add(new Seen(task, wheelNanos, queueNanos)));
    }
}
