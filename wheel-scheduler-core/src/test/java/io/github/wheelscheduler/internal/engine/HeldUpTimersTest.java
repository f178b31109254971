package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.WorkerKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * More timers are due than the workers have room for: the others stay in the wheel, and nothing is lost or late for it.
 */
class HeldUpTimersTest {

    /** The size of the ready queue. */
    private static final int ROOM = 4_096;

    /**
     * No more than that, because each may need a thread of the platform, and a busy machine takes long to start one.
     */
    private static final int TIMERS = ROOM + 500;

    private final ConcurrentLinkedQueue<Integer> ran = new ConcurrentLinkedQueue<>();

    private List<WheelTimer<?>> schedule(VirtualTime time) {
        List<WheelTimer<?>> timers = new ArrayList<>();
        for (int i = 0; i < TIMERS; i++) {
            int number = i;
            timers.add(time.executor.schedule(() -> ran.add(number), 10_000 + i, MICROSECONDS));
        }
        return timers;
    }

    private static Gate holdTheOnlyWorker(VirtualTime time) {
        Gate gate = new Gate();
        WheelTimer<?> ignored = time.executor.schedule(gate, 0, MILLISECONDS);
        gate.awaitArrivals(1);
        return gate;
    }

    private static List<Integer> numbers() {
        return IntStream.range(0, TIMERS).boxed().toList();
    }

    @ParameterizedTest
    @EnumSource
    void allRunAfterAPause(WorkerKind kind) {
        try (VirtualTime time = new VirtualTime(kind::applyTo)) {
            List<WheelTimer<?>> timers = schedule(time);
            time.awaitQuiet();
            time.executor.pause();
            time.clock.advance(Duration.ofMillis(50));
            awaitThat(() -> time.executor.readyCount() >= ROOM);
            time.executor.resume();
            awaitThat(() -> ran.size() == TIMERS);
            time.awaitQuiet();
            assertThat(ran).containsExactlyInAnyOrderElementsOf(numbers());
            assertThat(timers).allMatch(WheelTimer::isDone);
        }
    }

    @ParameterizedTest
    @EnumSource
    void allRunAfterShutdownAlsoIfDelayedOnesAreDropped(WorkerKind kind) {
        try (VirtualTime time = new VirtualTime(kind::applyTo)) {
            time.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
            List<WheelTimer<?>> timers = schedule(time);
            WheelTimer<?> delayed = time.executor.schedule(time.recorder(), 1, HOURS);
            time.awaitQuiet();
            time.executor.pause();
            time.clock.advance(Duration.ofMillis(50));
            awaitThat(() -> time.executor.readyCount() >= ROOM);
            time.executor.shutdown();
            awaitThat(() -> time.executor.isTerminated());
            assertThat(ran).containsExactlyInAnyOrderElementsOf(numbers());
            assertThat(timers).allMatch(timer -> timer.isDone() && !timer.isCancelled());
            assertThat(delayed.isCancelled()).isTrue();
        }
    }

    @Test
    void shutdownNowHandsBackWhatWaitsInTheWheelToo() {
        try (VirtualTime time = new VirtualTime(builder -> builder.maxWorkers(1))) {
            Gate gate = holdTheOnlyWorker(time);
            List<WheelTimer<?>> timers = schedule(time);
            time.clock.advance(Duration.ofMillis(50));
            awaitThat(() -> time.executor.readyCount() >= ROOM);
            assertThat(time.executor.shutdownNow()).containsExactlyElementsOf(timers);
            assertThat(ran).isEmpty();
            gate.open();
        }
    }

    @Test
    void longRunsThatHoldAllWorkersUpHoldNoTimeForOthers() {
        try (VirtualTime time = new VirtualTime(builder -> builder.maxWorkers(2))) {
            Gate one = holdTheOnlyWorker(time);
            AtomicInteger others = new AtomicInteger();
            for (int i = 0; i < TIMERS; i++) {
                WheelTimer<?> ignored = time.executor.schedule(others::incrementAndGet, 10, MILLISECONDS);
            }
            time.clock.advance(Duration.ofMillis(20));
            awaitThat(() -> others.get() == TIMERS);
            one.open();
        }
    }
}
