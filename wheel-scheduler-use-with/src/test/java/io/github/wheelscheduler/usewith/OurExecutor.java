package io.github.wheelscheduler.usewith;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.test.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The executor of one test, which a library is given. Afterwards it must still be running, with nothing of the library
 * pending in it or in its groups; then it is closed.
 */
final class OurExecutor implements AfterEachCallback {

    /** Nobody waits for so long, unless something is broken. */
    static final Duration LIMIT = Duration.ofSeconds(30);

    private static final String WORKER = "wheel-scheduler-";

    private final WheelScheduledExecutor executor;

    private OurExecutor(WheelScheduledExecutor executor) {
        this.executor = executor;
    }

    static OurExecutor inRealTime() {
        return new OurExecutor(WheelScheduledExecutor.builder().build());
    }

    /** For libraries that wait for longer than a test should. */
    static OurExecutor in(VirtualTime time) {
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                .timeSource(time.timeSource())
                .wallClock(time.clock())
                .build();
        time.drive(executor);
        return new OurExecutor(executor);
    }

    WheelScheduledExecutor executor() {
        return executor;
    }

    /** Returns how many timers have started to run. */
    long fired() {
        return executor.snapshot().totals().fired();
    }

    /** Shows that this was called on a worker of the executor. */
    static void assertIsWorker(String threadName) {
        assertThat(threadName).startsWith(WORKER);
    }

    /** Shows that this was called on a worker of that group. */
    static void assertIsWorkerOf(String group, String threadName) {
        assertThat(threadName).startsWith(WORKER + group + "-");
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        try {
            assertThat(executor.isShutdown()).as("is shut down").isFalse();
            assertThat(executor.submit(() -> "still runs").get(LIMIT.toSeconds(), SECONDS))
                    .isEqualTo("still runs");
            await().atMost(LIMIT).untilAsserted(() -> {
                assertThat(executor.pendingCount()).isZero();
                assertThat(executor.groups())
                        .allSatisfy(group -> assertThat(group.pendingCount()).isZero());
            });
        } finally {
            List<Runnable> ignored = executor.shutdownNow();
            assertThat(executor.awaitTermination(LIMIT.toSeconds(), SECONDS)).isTrue();
        }
    }
}
