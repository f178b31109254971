package io.github.wheelscheduler.promises;

import static io.github.wheelscheduler.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.testing.Scale;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Memory in use before and after a million timers of one hour that are cancelled at once. */
class CancelledTimersLeaveMemoryTest {

    private static final int TIMERS = 1_000_000;
    private static final long ALLOWED_BYTES = 1_000_000;

    @Test
    void suiteRunsInOneGo() {
        assertNothingIsLeft(Duration.ZERO);
    }

    @Test
    void spreadOverSeconds() {
        assertNothingIsLeft(Duration.ofSeconds(Scale.of(5, 30)));
    }

    private static void assertNothingIsLeft(Duration spread) {
        try (Closing executor = new Closing(WheelScheduledExecutor.builder().build())) {
            // Once before, so that threads, levels and chunks exist on both sides of the comparison.
            scheduleAndCancel(executor.executor, TIMERS / 10, Duration.ZERO);
            awaitEmpty(executor.executor);
            long before = usedBytes();

            scheduleAndCancel(executor.executor, TIMERS, spread);
            assertThat(executor.executor.pendingCount()).isZero();

            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(200))
                    .untilAsserted(() -> assertThat(usedBytes() - before).isLessThan(ALLOWED_BYTES));
            System.out.printf(
                    "Bytes left by 1,000,000 cancelled timers, spread over %s: %d%n", spread, usedBytes() - before);
            assertThat(executor.executor.pendingCount()).isZero();
        }
    }

    private static void scheduleAndCancel(WheelScheduledExecutor executor, int timers, Duration spread) {
        long start = System.nanoTime();
        for (int i = 0; i < timers; i++) {
            byte[] captured = new byte[64];
            assertThat(executor.schedule(() -> captured.length, 1, TimeUnit.HOURS)
                            .cancel(false))
                    .isTrue();
            long pace = start + spread.toNanos() * i / timers;
            if (pace - System.nanoTime() > 1_000_000) {
                LockSupport.parkNanos(pace - System.nanoTime());
            }
        }
    }

    private static void awaitEmpty(WheelScheduledExecutor executor) {
        await().atMost(PATIENCE).until(() -> executor.pendingCount() == 0);
    }

    @SuppressWarnings("UnnecessarilyVisible")
    private static long usedBytes() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    /** Stops the executor without waiting for what is pending. */
    private record Closing(WheelScheduledExecutor executor) implements AutoCloseable {
        @Override
        public void close() {
            assertThat(executor.shutdownNow()).isEmpty();
        }
    }
}
