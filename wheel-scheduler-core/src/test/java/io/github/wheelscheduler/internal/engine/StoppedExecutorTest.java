package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A given executor that never starts what it was given keeps nobody waiting: it was stopped first, or dropped a run.
 */
class StoppedExecutorTest {

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    @RegisterExtension
    private final LogCapture log = LogCapture.ofPackage(WheelScheduledExecutor.class);

    private final AtomicInteger ran = new AtomicInteger();

    @Test
    void runRefusedByAStoppedExecutorIsCancelledAndReported() throws Exception {
        ThreadPoolExecutor pool = pool(new ThreadPoolExecutor.AbortPolicy());
        pool.shutdown();
        WheelScheduledExecutor executor = withExecutor(pool);
        WheelTimer<?> refused = executor.schedule(ran::incrementAndGet, 0, NANOSECONDS);
        WheelTimer<?> series = executor.scheduleAtFixedRate(ran::incrementAndGet, 0, 1, MILLISECONDS);
        awaitThat(() -> refused.isCancelled() && series.isCancelled());
        awaitThat(() -> !log.messages().isEmpty());
        assertThat(log.messages()).singleElement().asString().contains("must be shut down after the scheduler");
        assertEndsByItself(executor);
    }

    @Test
    void unstartedRunIsCancelledAtOurShutdown() throws Exception {
        ThreadPoolExecutor pool = pool(new ThreadPoolExecutor.AbortPolicy());
        WheelScheduledExecutor executor = withExecutor(pool);
        List<WheelTimer<?>> timers = queueBehindAnother(executor, pool);
        List<Runnable> neverStarted = pool.shutdownNow();
        assertThat(neverStarted).hasSize(2);
        assertEndsByItself(executor);
        assertThat(timers).allMatch(WheelTimer::isCancelled);
        assertThat(log.messages()).singleElement().asString().endsWith("2");

        neverStarted.forEach(Runnable::run);
        assertThat(ran).hasValue(0);
    }

    @Test
    void stoppedExecutorThatDrainsItsQueueLosesNothing() throws Exception {
        ThreadPoolExecutor pool = pool(new ThreadPoolExecutor.AbortPolicy());
        WheelScheduledExecutor executor = withExecutor(pool);
        Gate gate = new Gate();
        executor.execute(gate);
        gate.awaitArrivals(1);
        WheelTimer<?> queued = executor.schedule(ran::incrementAndGet, 0, NANOSECONDS);
        awaitThat(() -> pool.getQueue().size() == 1);
        pool.shutdown();
        executor.shutdown();
        gate.open();
        assertThat(queued.get(30, SECONDS)).isEqualTo(1);
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(log.messages()).isEmpty();
    }

    @Test
    void runDroppedByALiveExecutorIsReturned() throws Exception {
        ThreadPoolExecutor pool = pool(new ThreadPoolExecutor.AbortPolicy());
        WheelScheduledExecutor executor = withExecutor(pool);
        List<WheelTimer<?>> timers = queueBehindAnother(executor, pool);
        List<Runnable> dropped = List.copyOf(pool.getQueue());
        pool.getQueue().clear();
        executor.shutdown();
        assertThat(executor.shutdownNow()).containsExactlyElementsOf(timers);
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(executor.pendingCount()).isZero();

        dropped.forEach(Runnable::run);
        assertThat(ran).hasValue(0);
    }

    /** Two timers, in the queue of the pool, whose only thread is busy with something else. */
    private List<WheelTimer<?>> queueBehindAnother(WheelScheduledExecutor executor, ThreadPoolExecutor pool) {
        Gate gate = new Gate();
        pool.execute(gate);
        gate.awaitArrivals(1);
        List<WheelTimer<?>> timers = List.of(
                executor.schedule(ran::incrementAndGet, 0, NANOSECONDS),
                executor.schedule(ran::incrementAndGet, 1, MILLISECONDS));
        awaitThat(() -> pool.getQueue().size() == 2);
        return timers;
    }

    private void assertEndsByItself(WheelScheduledExecutor executor) throws InterruptedException {
        WheelTimer<?> far = executor.schedule(ran::incrementAndGet, 1, HOURS);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        executor.shutdown();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(far.isCancelled()).isTrue();
        assertThat(executor.pendingCount()).isZero();
        assertThat(EngineOf.executor(executor).pending.inUse()).isZero();
        assertThat(ran).hasValue(0);
    }

    private ThreadPoolExecutor pool(RejectedExecutionHandler handler) {
        return stops.use(new ThreadPoolExecutor(1, 1, 1, MINUTES, new LinkedBlockingQueue<>(), handler));
    }

    private WheelScheduledExecutor withExecutor(ThreadPoolExecutor pool) {
        return stops.use(
                WheelScheduledExecutor.builder().executor(pool).maxPending(100).build());
    }
}
