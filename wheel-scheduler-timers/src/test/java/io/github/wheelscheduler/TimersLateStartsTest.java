package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.lease.LeaseRenewer;
import io.github.wheelscheduler.lease.Renewal;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.Scale;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Once an executor has been stopped, a worker makes one call at most of a handler or a store: that before which it had
 * looked.
 */
class TimersLateStartsTest {

    private static final int ROUNDS = Scale.of(30, 100, 1_000);
    private static final int MANY = 200;
    private static final long CALL_NANOS = 200_000;

    private final AtomicInteger late = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();

    private static WheelScheduledExecutor newExecutor(int maxWorkers) {
        return WheelScheduledExecutor.builder().maxWorkers(maxWorkers).build();
    }

    /** A handler, or a store. */
    private void call(WheelScheduledExecutor executor) {
        if (executor.isShutdown()) {
            late.incrementAndGet();
        }
        calls.incrementAndGet();
        long startNanos = System.nanoTime();
        while (System.nanoTime() - startNanos < CALL_NANOS) {
            Thread.onSpinWait();
        }
    }

    private void stop(WheelScheduledExecutor executor, int round) throws InterruptedException {
        awaitThat(() -> calls.get() > 0);
        LockSupport.parkNanos(MILLISECONDS.toNanos(round % 5));
        assertThat(executor.shutdownNow()).isNotNull();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
    }

    // Keyed timers

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void stoppedWorkerHandlesWhatItHasTakenAtMost(int maxBatch) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            late.set(0);
            calls.set(0);
            WheelScheduledExecutor executor = newExecutor(1);
            KeyedTimers<Integer, String> timers = KeyedTimers.<Integer, String>batchBuilder(
                            executor, maxBatch, batch -> call(executor))
                    .build();
            for (int key = 0; key < MANY; key++) {
                assertThat(timers.set(key, "value", Duration.ofMillis(5))).isNull();
            }
            stop(executor, round);
            assertThat(late).as("round %s", round).hasValueLessThanOrEqualTo(1);
            // Nothing is lost: what has not been handled is still there.
            assertThat(timers.drain((key, value) -> {}) + timers.counts().fired())
                    .isEqualTo(MANY);
            timers.close();
        }
    }

    private static final class StoppingKey {

        private final AtomicReference<@Nullable Runnable> stop;

        private StoppingKey(AtomicReference<@Nullable Runnable> stop) {
            this.stop = stop;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            Runnable first = stop.getAndSet(null);
            if (first != null) {
                first.run();
            }
            return System.identityHashCode(this);
        }
    }

    /** The stop comes when a worker has looked, and before it lets another one collect what is left. */
    @Test
    void collectorHandlesNoFurtherBatchOnceStopped() throws Exception {
        WheelScheduledExecutor executor = newExecutor(1);
        AtomicReference<@Nullable Runnable> stop = new AtomicReference<>();
        List<Integer> batches = new CopyOnWriteArrayList<>();
        Gate busy = new Gate();
        executor.execute(busy);
        busy.awaitArrivals(1);
        KeyedTimers<StoppingKey, String> timers = KeyedTimers.<StoppingKey, String>batchBuilder(
                        executor, 5, batch -> batches.add(batch.size()))
                .build();
        for (int i = 0; i < MANY; i++) {
            assertThat(timers.set(new StoppingKey(stop), "value", Duration.ZERO))
                    .isNull();
        }
        stop.set(executor::shutdownNow);
        busy.open();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(batches).hasSizeLessThanOrEqualTo(1);
        assertThat(timers.counts().pending() + timers.counts().fired()).isEqualTo(MANY);
        timers.close();
    }

    @Test
    void keyThatWaitsForItsTurnIsNotHandledOnceStopped() throws Exception {
        WheelScheduledExecutor executor = newExecutor(2);
        List<String> handled = new CopyOnWriteArrayList<>();
        Gate gate = new Gate();
        KeyedTimers<String, String> timers = KeyedTimers.<String, String>builder(executor, (key, value) -> {
                    handled.add(value);
                    gate.run();
                })
                .build();
        assertThat(timers.set("key", "first", Duration.ZERO)).isNull();
        gate.awaitArrivals(1);
        assertThat(timers.set("key", "second", Duration.ZERO)).isNull();
        awaitThat(() -> executor.snapshot().totals().fired() == 2 && executor.activeCount() == 1);
        assertThat(executor.shutdownNow()).isEmpty();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(handled).containsExactly("first");
        assertThat(timers.remove("key")).isEqualTo("second");
        timers.close();
    }

    // Leases

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void stoppedWorkerAsksTheStoreOnceAtMost(int maxBatch) throws Exception {
        // Each waits for a renewal.
        for (int round = 0; round < ROUNDS / 2; round++) {
            late.set(0);
            calls.set(0);
            WheelScheduledExecutor executor = newExecutor(1);
            LeaseRenewer<Integer> leases = LeaseRenewer.<Integer>batchBuilder(executor, maxBatch, keys -> {
                        call(executor);
                        return keys.stream().collect(Collectors.toMap(key -> key, key -> Renewal.Outcome.RENEWED));
                    })
                    .maxConcurrent(1)
                    .build();
            AtomicInteger lost = new AtomicInteger();
            for (int key = 0; key < MANY; key++) {
                assertThat(leases.keep(
                                key, Duration.ofMillis(600), leases.start(), (any, why) -> lost.incrementAndGet()))
                        .isNotNull();
            }
            stop(executor, round);
            assertThat(late).as("round %s", round).hasValueLessThanOrEqualTo(1);
            assertThat(lost).hasValue(MANY);
            leases.close();
        }
    }
}
