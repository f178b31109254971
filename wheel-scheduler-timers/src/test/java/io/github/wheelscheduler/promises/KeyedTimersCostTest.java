package io.github.wheelscheduler.promises;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.idle.IdleTimeout;
import io.github.wheelscheduler.idle.IdleTimeouts;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Bytes that keyed timers and idle timeouts keep, and that their callers allocate. */
class KeyedTimersCostTest {

    /** So many fill the table of a map nearly as far as it goes. With half of them, a key takes 5 bytes more. */
    private static final int TIMERS = 1_500_000;

    /**
     * Node and place in the map, timer and place in the wheel, entry; and what the heap cannot use beside large
     * objects.
     */
    private static final long MOST_BYTES = 120;

    /**
     * Bytes that the virtual machine and the test itself may allocate in one measurement; the counts lag behind a
     * little.
     */
    private static final long NOISE_BYTES = 50_000;

    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void pendingKeyTakesLittleBesideKeyAndValue() {
        WheelScheduledExecutor executor = newExecutor();
        KeyedTimers<Integer, String> timers = KeyedTimers.<Integer, String>builder(executor, (key, value) -> {})
                .build();
        // Once before, so that threads, levels and code exist on both sides of the comparison.
        for (int i = 0; i < TIMERS / 10; i++) {
            String ignored = timers.set(-1 - i, "value", HOUR);
            assertThat(timers.remove(-1 - i)).isNotNull();
        }
        Integer[] keys = new Integer[TIMERS];
        for (int i = 0; i < TIMERS; i++) {
            keys[i] = i;
        }
        long before = usedBytes();
        for (Integer key : keys) {
            String ignored = timers.set(key, "value", HOUR);
        }
        // With a delay, so that the others get to the wheel before it.
        WheelTimer<?> marker = executor.schedule(() -> {}, 1, TimeUnit.MILLISECONDS);
        awaitThat(() -> marker.isDone() && executor.snapshot().inbox() == 0);
        long bytes = (usedBytes() - before) / TIMERS;
        assertThat(timers.size()).isEqualTo(keys.length);
        System.out.printf("Bytes of a pending key beside key and value: %d%n", bytes);
        assertThat(bytes).isBetween(80L, MOST_BYTES);
    }

    @Test
    void movingAndTouchingAllocateNothing() {
        WheelScheduledExecutor executor = newExecutor();
        KeyedTimers<String, String> timers = KeyedTimers.<String, String>builder(executor, (key, value) -> {})
                .build();
        IdleTimeout timeout =
                IdleTimeouts.<String>builder(executor, key -> {}).build().register("key", HOUR);
        String ignored = timers.set("key", "value", HOUR);
        moveAndTouch(timers, timeout);
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        moveAndTouch(timers, timeout);
        assertThat(threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before)
                .isLessThan(NOISE_BYTES);
    }

    private static void moveAndTouch(KeyedTimers<String, String> timers, IdleTimeout timeout) {
        for (int i = 0; i < 100_000; i++) {
            assertTrue(timers.move("key", HOUR));
            assertTrue(timeout.touch());
        }
    }

    /** As AssertJ allocates. */
    private static void assertTrue(boolean condition) {
        if (!condition) {
            throw new AssertionError("must be in time");
        }
    }

    private WheelScheduledExecutor newExecutor() {
        return stops.use(WheelScheduledExecutor.builder().build());
    }

    private static long usedBytes() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }
}
