package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The tick thread goes on, and each run starts at most once, no matter what a given executor does with a run. */
class GivenExecutorTest {

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final ExecutorService pool = stops.use(Executors.newCachedThreadPool());

    @Test
    void executorThatBlocksHoldsUpNoTickThread() throws Exception {
        Gate gate = new Gate();
        WheelScheduledExecutor executor = withExecutor(run -> {
            gate.run();
            run.run();
        });
        Future<String> blocked = executor.submit(() -> "blocked");
        gate.awaitArrivals(1);
        WheelTimer<?> far = executor.schedule(() -> {}, 1, HOURS);
        WheelTimer<String> behind = executor.schedule(() -> "behind", 20, MILLISECONDS);
        assertThat(executor.pendingCount()).isEqualTo(3);
        awaitThat(() -> executor.readyCount() == 1);
        assertThat(far.cancel(false)).isTrue();
        assertThat(executor.pendingCount()).isEqualTo(2);

        gate.open();
        assertThat(blocked.get(30, SECONDS)).isEqualTo("blocked");
        assertThat(behind.get(30, SECONDS)).isEqualTo("behind");
        assertThat(executor.pendingCount()).isZero();
    }

    @Test
    void stoppingFreesTheFeederFromAnExecutorThatBlocks() throws Exception {
        Gate gate = new Gate();
        WheelScheduledExecutor executor = withExecutor(run -> {
            gate.run();
            run.run();
        });
        WheelTimer<?> blocked = executor.schedule(() -> {}, 0, NANOSECONDS);
        gate.awaitArrivals(1);
        assertThat(executor.shutdownNow()).containsExactly(blocked);
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(gate.interrupts()).isOne();
        assertThat(blocked.isDone()).isFalse();
    }

    @Test
    void executorThatRunsInItsCallerHoldsUpNoTickThread() throws Exception {
        Gate gate = new Gate();
        WheelScheduledExecutor executor = withExecutor(Runnable::run);
        executor.execute(gate);
        gate.awaitArrivals(1);
        Future<String> behind = executor.submit(() -> "behind");
        awaitThat(() -> executor.readyCount() == 1);
        gate.open();
        assertThat(behind.get(30, SECONDS)).isEqualTo("behind");
    }

    @Test
    void taskInTheCallerMayScheduleAndEndItsExecutor() throws Exception {
        WheelScheduledExecutor executor = withExecutor(Runnable::run);
        CountDownLatch ran = new CountDownLatch(1);
        executor.execute(() -> {
            executor.execute(ran::countDown);
            executor.shutdown();
        });
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(ran.getCount()).isZero();
    }

    @Test
    void interruptThatARunLeavesBehindIsNotSeenByTheNext() throws Exception {
        WheelScheduledExecutor executor = withExecutor(Runnable::run);
        executor.pause();
        executor.execute(() -> Thread.currentThread().interrupt());
        Future<Boolean> next = executor.submit(() -> Thread.currentThread().isInterrupted());
        awaitThat(() -> executor.readyCount() == 2);
        executor.resume();
        assertThat(next.get(30, SECONDS)).isFalse();
    }

    @Test
    void executorThatRunsARunTwiceRunsItOnce() throws Exception {
        WheelScheduledExecutor executor = withExecutor(run -> {
            pool.execute(run);
            pool.execute(run);
        });
        AtomicInteger runs = new AtomicInteger();
        for (int i = 0; i < 500; i++) {
            executor.execute(runs::incrementAndGet);
        }
        executor.shutdown();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(runs).hasValue(500);
        // The pool may still be busy with what it runs a second time.
        awaitThat(() -> executor.activeCount() == 0);
        assertThat(executor.pendingCount()).isZero();
    }

    @Test
    void noMoreRunsGoOnThanAllowed() {
        Gate gate = new Gate();
        WheelScheduledExecutor executor = stops.use(
                WheelScheduledExecutor.builder().executor(pool).maxWorkers(3).build());
        for (int i = 0; i < 20; i++) {
            executor.execute(gate);
        }
        gate.awaitArrivals(3);
        awaitThat(() -> executor.readyCount() == 17);
        assertThat(gate.arrivals()).isEqualTo(3);
        assertThat(executor.activeCount()).isEqualTo(3);

        executor.setMaxWorkers(5);
        gate.awaitArrivals(5);
        awaitThat(() -> executor.readyCount() == 15);
        assertThat(gate.arrivals()).isEqualTo(5);

        gate.open();
        gate.awaitArrivals(20);
        awaitThat(() -> executor.activeCount() == 0);
    }

    private WheelScheduledExecutor withExecutor(Executor target) {
        return stops.use(WheelScheduledExecutor.builder().executor(target).build());
    }
}
