package io.github.wheelscheduler.promises;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Callers that schedule, move and cancel at the same time never wait for each other, nor, unless they outrun it, for
 * the tick thread, which never waits but in its sleep. The virtual machine counts for each thread how often it has
 * waited.
 */
class NoLockTest {

    private static final int ROUNDS = 300_000;

    /** Far below the number of messages at which callers are held up. */
    private static final int MANY_MESSAGES = 20_000;

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Queue<Thread> tickThreads = new ConcurrentLinkedQueue<>();
    private final Queue<Long> waits = new ConcurrentLinkedQueue<>();

    @Test
    void callersNeverWaitAndTheTickThreadWaitsForNoLock() {
        WheelScheduledExecutor executor = stops.use(WheelScheduledExecutor.builder()
                .tickThreadFactory(this::remember)
                .build());
        AtomicLong runs = new AtomicLong();
        WheelTimer<?> busy = executor.scheduleAtFixedRate(runs::incrementAndGet, 0, 100, MICROSECONDS);
        awaitThat(() -> runs.get() > 10);

        // Classes and lambdas are linked under locks of the virtual machine's own.
        long ignored = callAndCountWaits(executor);
        for (int i = 0; i < 3; i++) {
            new Thread(() -> waits.add(callAndCountWaits(executor)), "caller").start();
        }
        awaitThat(() -> waits.size() == 3);

        assertThat(waits).containsOnly(0L);
        ThreadInfo tick = threads.getThreadInfo(tickThreads.element().getId());
        assertThat(tick.getWaitedCount()).as("sleeps of the tick thread").isPositive();
        assertThat(tick.getBlockedCount()).as("waits for a lock").isZero();
        assertThat(busy.cancel(false)).isTrue();
    }

    private Thread remember(Runnable task) {
        Thread thread = new Thread(task);
        tickThreads.add(thread);
        return thread;
    }

    private long callAndCountWaits(WheelScheduledExecutor executor) {
        long before = waits();
        for (int i = 0; i < ROUNDS; i++) {
            WheelTimer<?> timer = executor.schedule(NoLockTest::doNothing, 2, HOURS);
            boolean moved = timer.reschedule(i % 2 == 0 ? 1 : 3, HOURS);
            boolean ignored = moved && timer.cancel(false);
            if (i % 128 == 0) {
                letTheTickThreadKeepUp(executor);
            }
        }
        return waits() - before;
    }

    /**
     * A caller that outruns the tick thread is to wait for it, which is not what this is about. Turns, as a wait would
     * be counted.
     */
    private static void letTheTickThreadKeepUp(WheelScheduledExecutor executor) {
        while (executor.snapshot().inbox() > MANY_MESSAGES) {
            Thread.onSpinWait();
        }
    }

    private long waits() {
        ThreadInfo info = threads.getThreadInfo(Thread.currentThread().getId());
        return info.getWaitedCount() + info.getBlockedCount();
    }

    private static void doNothing() {}
}
