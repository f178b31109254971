package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.WorkerKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What is due at once runs at once: no time has to pass, as it would have to for the wheel, and nobody is passed over
 * for it.
 */
class DueNowTest {

    /** More than the ready queue has room for. */
    private static final int MANY = 20_000;

    private final Queue<Integer> ran = new ConcurrentLinkedQueue<>();

    @ParameterizedTest
    @EnumSource
    void runsWithoutThePassingOfTime(WorkerKind kind) throws Exception {
        try (VirtualTime time = new VirtualTime(kind::applyTo)) {
            time.executor.execute(() -> ran.add(1));
            assertThat(time.executor.submit(() -> "ran").get(30, SECONDS)).isEqualTo("ran");
            assertThat(time.executor.schedule(() -> "ran", -1, HOURS).get(30, SECONDS))
                    .isEqualTo("ran");
            WheelTimer<?> series = time.executor.scheduleAtFixedRate(() -> ran.add(2), 0, 1, HOURS);
            awaitThat(() -> ran.size() == 2);
            WheelTimer<?> calendar = time.executor.scheduleAt(() -> ran.add(3), ManualWallClock.ORIGIN);
            awaitThat(() -> ran.size() == 3 && calendar.isDone());
            assertThat(series.isDone()).isFalse();
            assertThat(time.executor.pendingCount()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void timerThatIsMovedToNowRunsNow(WorkerKind kind) throws Exception {
        try (VirtualTime time = new VirtualTime(kind::applyTo)) {
            WheelTimer<String> far = time.executor.schedule(() -> "ran", 1, HOURS);
            time.awaitQuiet();
            assertThat(far.reschedule(0, SECONDS)).isTrue();
            assertThat(far.get(30, SECONDS)).isEqualTo("ran");
            assertThat(time.executor.pendingCount()).isZero();
        }
    }

    @Test
    void timerThatItsDecoratorPutsOffWaits() throws Exception {
        try (VirtualTime time = new VirtualTime(builder -> builder.decorator(timer -> {
            assertThat(timer.reschedule(1, HOURS)).isTrue();
            return timer;
        }))) {
            WheelTimer<String> timer = time.executor.schedule(() -> "ran", 0, SECONDS);
            time.awaitQuiet();
            assertThat(timer.isDone()).isFalse();
            time.clock.advance(Duration.ofHours(1).plusMillis(2));
            assertThat(timer.get(30, SECONDS)).isEqualTo("ran");
        }
    }

    @Test
    void runsThatAreLateFollowEachOtherWithoutTheWheel() {
        try (VirtualTime time = new VirtualTime()) {
            AtomicInteger runs = new AtomicInteger();
            WheelTimer<?> rate = time.executor.scheduleAtFixedRate(
                    () -> {
                        if (runs.incrementAndGet() == 1) {
                            time.clock.advance(Duration.ofMillis(55));
                        }
                    },
                    10,
                    10,
                    MILLISECONDS);
            time.awaitQuiet();
            time.clock.advance(Duration.ofMillis(11));
            // The ones that were due 20, 30, 40, 50 and 60 ms after the start; the clock stands still meanwhile.
            awaitThat(() -> runs.get() == 6);
            time.awaitQuiet();
            assertThat(runs).hasValue(6);
            assertThat(rate.getDelay(MILLISECONDS)).isBetween(2L, 4L);
        }
    }

    @Test
    void lateSeriesLeavesTheWorkerToOthersBetweenTwoRuns() {
        try (VirtualTime time = new VirtualTime(builder -> builder.maxWorkers(1))) {
            Gate gate = new Gate();
            WheelTimer<?> rate = time.executor.scheduleAtFixedRate(
                    () -> {
                        ran.add(0);
                        gate.run();
                        time.clock.advance(Duration.ofMillis(10));
                    },
                    0,
                    1,
                    MILLISECONDS);
            gate.awaitArrivals(1);
            time.executor.execute(() -> ran.add(1));
            time.executor.execute(() -> {
                ran.add(2);
                boolean ignored = rate.cancel(false);
            });
            gate.open();
            time.awaitQuiet();
            assertThat(ran).containsExactly(0, 1, 2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void tasksOfOneCallerStayInOrderAlsoWhenThereIsNoRoom(WorkerKind kind) {
        try (VirtualTime time = new VirtualTime(builder -> kind.applyTo(builder).maxWorkers(1))) {
            Gate gate = new Gate();
            // More than there is room for; where each run costs a thread, not many more.
            int many = kind == WorkerKind.THREAD_PER_RUN ? Scale.of(6_000, MANY, MANY) : MANY;
            for (int round = 0; round < Scale.of(1, 3, 3); round++) {
                ran.clear();
                if (round == 0) {
                    time.executor.execute(gate);
                    gate.awaitArrivals(1);
                }
                for (int i = 0; i < many; i++) {
                    int number = i;
                    time.executor.execute(() -> ran.add(number));
                    if (i == many / 2) {
                        gate.open();
                    }
                }
                awaitOrder(time, many);
            }
        }
    }

    /** Timers that went the long way may need time to pass, by a tick. */
    private void awaitOrder(VirtualTime time, int many) {
        awaitThat(() -> {
            time.clock.advance(Duration.ofNanos(10_000));
            return ran.size() == many;
        });
        assertThat(ran)
                .containsExactlyElementsOf(IntStream.range(0, many).boxed().toList());
    }

    @Test
    void dueTimerRunsBeforeLaterSubmittedTasks() {
        try (VirtualTime time = new VirtualTime(builder -> builder.maxWorkers(1))) {
            Gate gate = new Gate();
            time.executor.execute(gate);
            gate.awaitArrivals(1);
            List<WheelTimer<?>> timers = new ArrayList<>();
            for (int i = 0; i < 2 * MANY; i++) {
                int number = i;
                timers.add(time.executor.schedule(() -> ran.add(number), 1, MICROSECONDS));
            }
            awaitThat(() -> EngineOf.executor(time.executor).inbox.isEmpty());
            time.clock.advance(Duration.ofMillis(1));
            awaitThat(
                    () -> EngineOf.executor(time.executor).dispatcher().shortcut.isHeldUp());
            for (int i = 0; i < 100; i++) {
                time.executor.execute(() -> ran.add(-1));
            }
            gate.open();
            awaitThat(() -> {
                time.clock.advance(Duration.ofNanos(10_000));
                return ran.size() == timers.size() + 100;
            });
            List<Integer> order = List.copyOf(ran);
            assertThat(order.subList(0, timers.size())).doesNotContain(-1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void pauseHoldsItBackAndItsOrderStays(WorkerKind kind) {
        try (VirtualTime time = new VirtualTime(builder -> kind.applyTo(builder).maxWorkers(1))) {
            time.executor.pause();
            time.executor.execute(() -> ran.add(0));
            time.executor.execute(() -> ran.add(1));
            time.executor.resume();
            time.executor.execute(() -> ran.add(2));
            awaitThat(() -> {
                time.clock.advance(Duration.ofNanos(10_000));
                return ran.size() == 3;
            });
            assertThat(ran).containsExactly(0, 1, 2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void runsOnTheirWayAreCountedAndHandedBack(WorkerKind kind) {
        try (VirtualTime time =
                new VirtualTime(builder -> kind.applyTo(builder).maxWorkers(1).maxPending(3))) {
            Gate gate = new Gate();
            time.executor.execute(gate);
            gate.awaitArrivals(1);
            WheelTimer<?> first = time.executor.schedule(() -> ran.add(0), 0, NANOSECONDS);
            WheelTimer<?> second = time.executor.schedule(() -> ran.add(1), 0, NANOSECONDS);
            WheelTimer<?> third = time.executor.schedule(() -> ran.add(2), 0, NANOSECONDS);
            assertThat(time.executor.pendingCount()).isEqualTo(3);
            assertThatThrownBy(() -> time.executor.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
            assertThat(second.cancel(false)).isTrue();
            assertThat(time.executor.pendingCount()).isEqualTo(2);
            assertThat(time.executor.shutdownNow()).containsExactly(first, third);
            assertThat(time.executor.pendingCount()).isZero();
            assertThat(ran).isEmpty();
            gate.open();
        }
    }
}
