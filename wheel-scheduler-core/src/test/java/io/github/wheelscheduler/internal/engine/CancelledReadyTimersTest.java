package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.StopsAfterwards;
import io.github.wheelscheduler.testing.WorkerKind;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is cancelled while it waits for a worker leaves memory, however long nothing may run. */
class CancelledReadyTimersTest {

    private static final int BATCH = 5_000;

    /** The size of the ready queue. */
    private static final int ROOM = 4_096;

    private static final int BATCHES = 20;

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    @ParameterizedTest
    @EnumSource(WorkerKind.class)
    void cancelledTimersLeaveMemoryDuringAPause(WorkerKind kind) throws Exception {
        WheelScheduledExecutor executor =
                stops.use(kind.applyTo(WheelScheduledExecutor.builder()).build());
        executor.pause();
        for (int batch = 0; batch < BATCHES; batch++) {
            List<WheelTimer<?>> timers = new ArrayList<>();
            for (int i = 0; i < BATCH; i++) {
                timers.add(executor.schedule(() -> {}, 0, NANOSECONDS));
            }
            awaitThat(() -> executor.readyCount() >= ROOM);
            timers.forEach(timer -> timer.cancel(false));
        }
        awaitThat(() -> executor.readyCount() + EngineOf.executor(executor).shared.loop.wheelSize < 20_000);
        assertThat(executor.pendingCount()).isZero();
        executor.resume();
        assertThat(executor.submit(() -> "ran").get(30, SECONDS)).isEqualTo("ran");
        awaitThat(() -> executor.readyCount() == 0);
    }

    @ParameterizedTest
    @EnumSource(WorkerKind.class)
    void timersThatAreNotCancelledStayInTheirOrder(WorkerKind kind) {
        WheelScheduledExecutor executor = stops.use(
                kind.applyTo(WheelScheduledExecutor.builder()).maxWorkers(1).build());
        List<Integer> order = new ArrayList<>();
        List<WheelTimer<?>> cancelled = new ArrayList<>();
        executor.pause();
        for (int i = 0; i < 2 * BATCH; i++) {
            int number = i;
            WheelTimer<?> timer = executor.schedule(() -> add(order, number), 0, NANOSECONDS);
            if (i % 10 != 0) {
                cancelled.add(timer);
            }
        }
        awaitThat(() -> executor.readyCount() >= ROOM);
        cancelled.forEach(timer -> timer.cancel(false));
        executor.resume();
        awaitThat(() -> executor.pendingCount() == 0 && executor.activeCount() == 0);
        synchronized (order) {
            assertThat(order).hasSize(2 * BATCH / 10).isSorted();
        }
    }

    @Test
    void decoratedTimerReleasesItsTaskIfCancelledWhileReady() {
        WheelScheduledExecutor executor = stops.use(WheelScheduledExecutor.builder()
                .decorator(timer -> () -> timer.run())
                .build());
        executor.pause();
        byte[] load = new byte[1_000];
        WeakReference<byte[]> reference = new WeakReference<>(load);
        WheelTimer<?> timer = executor.schedule(holding(load), 0, NANOSECONDS);
        load = null;
        awaitThat(() -> isReady(timer));
        assertThat(timer.cancel(false)).isTrue();
        awaitThat(() -> {
            System.gc();
            return reference.get() == null;
        });
        assertThat(executor.readyCount()).isOne();
    }

    private static Runnable holding(byte[] load) {
        return () -> assertThat(load).isEmpty();
    }

    private static void add(List<Integer> list, int number) {
        synchronized (list) {
            list.add(number);
        }
    }

    private static boolean isReady(WheelTimer<?> timer) {
        return ((ScheduledTimer<?>) timer).state() == TimerWord.READY;
    }
}
