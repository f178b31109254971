package io.github.wheelscheduler.internal.engine;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.StopsAfterwards;
import io.github.wheelscheduler.testing.WorkerKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an executor does not accept, and what it stops with. */
class RejectionAndStopTest {

    private static final int MANY = 100_000;

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    @Test
    void seriesThatIsDoneHasMadeRoomForAnother() {
        WheelScheduledExecutor executor =
                stops.use(WheelScheduledExecutor.builder().maxPending(1).build());
        for (int round = 0; round < Scale.of(2_000, 100_000); round++) {
            WheelTimer<?> series = executor.scheduleAtFixedRate(
                    () -> {
                        throw new IllegalStateException("on purpose");
                    },
                    0,
                    1,
                    HOURS);
            while (!series.isDone()) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void removedTimerNeitherRunsNorIsCancelledAndMakesRoom() throws Exception {
        try (VirtualTime time = new VirtualTime(builder -> builder.maxPending(1))) {
            VirtualTime.Recorder recorder = time.recorder();
            WheelTimer<?> timer = time.executor.schedule(recorder, 10, MILLISECONDS);
            assertThat(time.executor.remove(timer)).isTrue();
            assertThat(time.executor.remove(timer)).isFalse();
            assertThat(time.executor.pendingCount()).isZero();
            WheelTimer<?> other = time.executor.schedule(() -> {}, 20, MILLISECONDS);
            time.pass(Duration.ofMillis(30));
            assertThat(recorder.take()).isEmpty();
            assertThat(timer.isDone()).isFalse();
            assertThat(other.isDone()).isTrue();
            assertThat(time.executor.remove(other)).isFalse();
            assertThat(time.executor.remove(() -> {})).isFalse();
        }
    }

    @Test
    void rejectionNamesPendingTimersAndTheBound() {
        WheelScheduledExecutor executor =
                stops.use(WheelScheduledExecutor.builder().maxPending(2).build());
        WheelTimer<?> first = executor.schedule(() -> {}, 1, HOURS);
        WheelTimer<?> repeating = executor.scheduleAtFixedRate(() -> {}, 1, 1, HOURS);
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> executor.schedule(() -> {}, 1, HOURS))
                .withMessageContaining("max-pending is 2, and 2 timers are pending or repeating");
        assertThat(first.cancel(false)).isTrue();
        WheelTimer<?> next = executor.schedule(() -> {}, 1, HOURS);
        assertThat(next.isDone()).isFalse();
        assertThat(repeating.isDone()).isFalse();
        assertThat(executor.pendingCount()).isEqualTo(2);
    }

    @Test
    void rejectionAfterShutdownSaysSo() {
        WheelScheduledExecutor executor =
                stops.use(WheelScheduledExecutor.builder().build());
        executor.shutdown();
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> executor.execute(() -> {}))
                .withMessageContaining("the executor has been shut down");
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    void rejectionOfAGroupThatWasShutDownNamesIt() {
        WheelScheduledExecutor executor =
                stops.use(WheelScheduledExecutor.builder().build());
        WheelScheduledExecutor group = executor.group("mail");
        group.shutdown();
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> group.execute(() -> {}))
                .withMessageContaining("group mail has been shut down");
        executor.shutdown();
        assertThatExceptionOfType(RejectedExecutionException.class)
                .isThrownBy(() -> group.execute(() -> {}))
                .withMessageContaining("the executor has been shut down");
    }

    @Test
    void handlerOfOnesOwnDecidesWhatBecomesOfTheTimer() {
        AtomicReference<WheelTimer<?>> rejected = new AtomicReference<>();
        AtomicReference<String> reason = new AtomicReference<>();
        AtomicInteger ran = new AtomicInteger();
        WheelScheduledExecutor executor = stops.use(WheelScheduledExecutor.builder()
                .maxPending(1)
                .rejectionHandler((timer, why) -> {
                    rejected.set(timer);
                    reason.set(why.getMessage());
                })
                .build());
        WheelTimer<?> accepted = executor.schedule(() -> {}, 1, HOURS);
        WheelTimer<?> returned = executor.schedule(ran::incrementAndGet, 1, HOURS);
        assertThat((Object) returned).isSameAs(rejected.get());
        assertThat(reason.get()).contains("max-pending is 1").contains("not scheduled");
        assertThat(returned.isDone()).isFalse();
        assertThat(executor.pendingCount()).isOne();

        returned.run();
        assertThat(ran).hasValue(1);
        assertThat(returned.isDone()).isTrue();
        assertThat(returned.isCancelled()).isFalse();
        assertThat(EngineOf.executor(executor).pending.inUse()).isOne();
        assertThat(accepted.cancel(false)).isTrue();
        assertThat(EngineOf.executor(executor).pending.inUse()).isZero();
    }

    @ParameterizedTest
    @EnumSource(WorkerKind.class)
    void shutdownDropsAHundredThousandTimersInTheCall(WorkerKind kind) throws Exception {
        WheelScheduledExecutor executor = start(kind);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        List<WheelTimer<?>> timers = scheduleMany(executor);
        executor.shutdown();
        assertThat(timers).allMatch(WheelTimer::isCancelled);
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(EngineOf.executor(executor).pending.inUse()).isZero();
    }

    @ParameterizedTest
    @EnumSource(WorkerKind.class)
    void stopReturnsAHundredThousandTimersByDeadline(WorkerKind kind) throws Exception {
        WheelScheduledExecutor executor = start(kind);
        List<WheelTimer<?>> timers = scheduleMany(executor);
        List<Runnable> returned = executor.shutdownNow();
        assertThat(returned).hasSize(MANY);
        assertThat(Set.copyOf(returned)).isEqualTo(Set.copyOf(timers));
        assertThat(returned)
                .isSortedAccordingTo((one, other) -> ((WheelTimer<?>) one).compareTo((WheelTimer<?>) other));
        assertThat(timers).noneMatch(WheelTimer::isDone);
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(executor.pendingCount()).isZero();
        assertThat(EngineOf.executor(executor).pending.inUse()).isZero();
    }

    @Test
    void shutdownRunsAHundredThousandReadyTimers() throws Exception {
        WheelScheduledExecutor executor = start(WorkerKind.ELASTIC);
        AtomicInteger ran = new AtomicInteger();
        executor.pause();
        for (int i = 0; i < MANY; i++) {
            WheelTimer<?> unused = executor.schedule(ran::incrementAndGet, 0, NANOSECONDS);
        }
        executor.shutdown();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(ran).hasValue(MANY);
    }

    private WheelScheduledExecutor start(WorkerKind kind) {
        return stops.use(
                kind.applyTo(WheelScheduledExecutor.builder()).maxPending(MANY).build());
    }

    /** Each has an earlier deadline than the one before. */
    private static List<WheelTimer<?>> scheduleMany(WheelScheduledExecutor executor) {
        List<WheelTimer<?>> timers = new ArrayList<>(MANY);
        for (int i = 0; i < MANY; i++) {
            timers.add(executor.schedule(() -> {}, 7_200_000_000L - i * 10_000L, MICROSECONDS));
        }
        return timers;
    }
}
