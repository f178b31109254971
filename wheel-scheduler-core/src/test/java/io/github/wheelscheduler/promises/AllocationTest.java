package io.github.wheelscheduler.promises;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.lang.management.ManagementFactory;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a timer costs in allocated bytes, counted by the virtual machine for each thread. */
class AllocationTest {

    private static final int TIMERS = 100_000;

    /** A timer without a result: header, position, state word, and four references. */
    private static final long TIMER_BYTES = 40;

    /** The inbox allocates its next chunk: a reference a message, and a header. */
    private static final long INBOX_BYTES = 5;

    /** What the virtual machine and the test itself may allocate in one measurement; the counts lag behind a little. */
    private static final long NOISE_BYTES = 50_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Queue<Thread> ours = new ConcurrentLinkedQueue<>();
    private final WheelTimer<?>[] timers = new WheelTimer<?>[TIMERS];

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private WheelScheduledExecutor executor;

    @BeforeEach
    void warmUp() {
        executor = stops.use(WheelScheduledExecutor.builder()
                .tickThreadFactory(this::remember)
                .threadFactory(this::remember)
                .build());
        schedule();
        cancel();
        awaitThat(() -> executor.pendingCount() == 0);
    }

    private Thread remember(Runnable run) {
        Thread thread = new Thread(run);
        ours.add(thread);
        return thread;
    }

    private void schedule() {
        for (int i = 0; i < TIMERS; i++) {
            timers[i] = executor.schedule(AllocationTest::doNothing, 1, HOURS);
        }
    }

    private static void doNothing() {}

    private void cancel() {
        for (WheelTimer<?> timer : timers) {
            boolean ignored = timer.cancel(false);
        }
    }

    private void reschedule(long hours) {
        for (WheelTimer<?> timer : timers) {
            boolean ignored = timer.reschedule(hours, HOURS);
        }
    }

    @Test
    void scheduleAllocatesOneObjectAndCancelNone() {
        long before = bytesOfThisThread();
        schedule();
        long perSchedule = (bytesOfThisThread() - before) / TIMERS;
        assertThat(perSchedule).isBetween(TIMER_BYTES, TIMER_BYTES + INBOX_BYTES);

        before = bytesOfThisThread();
        reschedule(2);
        assertThat(bytesOfThisThread() - before).as("rescheduling").isLessThan(NOISE_BYTES);

        before = bytesOfThisThread();
        cancel();
        assertThat(bytesOfThisThread() - before).as("cancelling").isLessThan(NOISE_BYTES);
        System.out.printf("Bytes allocated by the caller per schedule: %d%n", perSchedule);
    }

    @Test
    void periodicTimerAllocatesNothingWhenItIsArmedAgain() {
        AtomicLong runs = new AtomicLong();
        for (int i = 0; i < 50; i++) {
            WheelTimer<?> ignored = executor.scheduleAtFixedRate(runs::incrementAndGet, i, 500, MICROSECONDS);
        }
        awaitThat(() -> runs.get() > 2 * TIMERS);

        long runsBefore = runs.get();
        long before = bytesOfOurThreads();
        awaitThat(() -> runs.get() > runsBefore + TIMERS);
        long perRun = (bytesOfOurThreads() - before) / (runs.get() - runsBefore);
        assertThat(perRun).as("all threads, per run").isLessThanOrEqualTo(INBOX_BYTES);
        System.out.printf("Bytes allocated by all threads per run of a periodic timer: %d%n", perRun);
    }

    @Test
    void nothingIsAllocatedWhileNothingIsDue() {
        schedule();
        AtomicLong runs = new AtomicLong();
        // With a delay: what is due at once does not come by the wheel, where the others are still on their way to.
        WheelTimer<?> marker = executor.schedule(runs::incrementAndGet, 1, MILLISECONDS);
        awaitThat(() -> marker.isDone() && executor.snapshot().inbox() == 0);
        long before = bytesOfOurThreads();
        long start = System.nanoTime();
        awaitThat(() -> System.nanoTime() - start > 300_000_000);
        assertThat(bytesOfOurThreads() - before).as("while idle").isLessThan(NOISE_BYTES);
    }

    private long bytesOfThisThread() {
        return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    private long bytesOfOurThreads() {
        return ours.stream()
                .mapToLong(thread -> Math.max(0, threads.getThreadAllocatedBytes(thread.getId())))
                .sum();
    }
}
