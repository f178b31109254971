package io.github.wheelscheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.idle.IdleTimeouts;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.lease.LeaseRenewer;
import io.github.wheelscheduler.lease.Renewal.Outcome;
import io.github.wheelscheduler.testing.Heirloom;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Handlers of timers see nothing of the thread that sets a timer, and the class loader of the thread that made the
 * executor.
 */
@Timeout(60)
class ThreadsOfTimersTest {

    private static final Duration SOON = Duration.ofMillis(2);
    private static final int ROUNDS = 50;

    private final ClassLoader application = new ClassLoader(getClass().getClassLoader()) {};
    private final ClassLoader other = new ClassLoader(null) {};
    private final Heirloom heirloom = new Heirloom();
    private final Queue<Having> seen = new ConcurrentLinkedQueue<>();
    private final WheelScheduledExecutor executor = heirloom.callWith(
            "maker", application, () -> WheelScheduledExecutor.builder().build());

    /** What a thread has. */
    private record Having(String value, ClassLoader loader) {}

    @AfterEach
    void close() {
        Object ignored = executor.shutdownNow();
    }

    private void look() {
        seen.add(new Having(heirloom.get(), Thread.currentThread().getContextClassLoader()));
    }

    private void requireNothingInherited(int atLeast) {
        await().until(() -> seen.size() >= atLeast);
        assertThat(Set.copyOf(seen)).containsOnly(new Having("null", application));
        assertThat(heirloom.parents()).isEmpty();
    }

    @Test
    void keyedTimersInheritNothing() {
        KeyedTimers<Integer, String> timers = heirloom.callWith(
                "maker",
                application,
                () -> KeyedTimers.<Integer, String>builder(executor, (key, value) -> look())
                        .build());
        KeyedTimers<Integer, String> batches = heirloom.callWith(
                "maker",
                application,
                () -> KeyedTimers.<Integer, String>batchBuilder(executor, 3, due -> look())
                        .build());
        for (int i = 0; i < ROUNDS; i++) {
            int key = i;
            int before = seen.size();
            Object ignored = heirloom.callWith("caller", other, () -> {
                Object unused = timers.set(key, "value", SOON);
                return batches.set(key, "value", SOON);
            });
            await().until(() -> seen.size() >= before + 2);
        }
        requireNothingInherited(2 * ROUNDS);
    }

    @Test
    void idleTimeoutsInheritNothing() {
        IdleTimeouts<String> timeouts = heirloom.callWith(
                "maker",
                application,
                () -> IdleTimeouts.<String>builder(executor, key -> look()).build());
        for (int i = 0; i < ROUNDS; i++) {
            Object ignored = heirloom.callWith("caller", other, () -> timeouts.register("key", SOON));
        }
        requireNothingInherited(ROUNDS);
    }

    @Test
    void leasesInheritNothing() {
        Duration length = Duration.ofMillis(100);
        LeaseRenewer<String> renewer = heirloom.callWith(
                "maker",
                application,
                () -> LeaseRenewer.<String>builder(executor, key -> {
                            look();
                            return key.startsWith("lost") ? Outcome.GONE : Outcome.RENEWED;
                        })
                        .build());
        for (int i = 0; i < ROUNDS; i++) {
            String key = (i % 2 == 0 ? "lost " : "kept ") + i;
            Object ignored = heirloom.callWith(
                    "caller", other, () -> renewer.keep(key, length, renewer.start(), (lost, reason) -> look()));
        }
        requireNothingInherited(2 * ROUNDS);
    }
}
