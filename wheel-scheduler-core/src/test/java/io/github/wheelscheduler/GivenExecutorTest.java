package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The engine on a given executor that blocks or refuses: the tick thread goes on, and a stop returns every run. */
class GivenExecutorTest {

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final ExecutorService pool = stops.use(Executors.newSingleThreadExecutor());

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
    void runThatEndsLetsTheNextOneBeOfferedAtOnce() throws Exception {
        AtomicBoolean busy = new AtomicBoolean();
        AtomicInteger refusals = new AtomicInteger();
        WheelScheduledExecutor executor = withExecutor(run -> {
            if (!busy.compareAndSet(false, true)) {
                refusals.incrementAndGet();
                throw new RejectedExecutionException("full");
            }
            pool.execute(() -> {
                busy.set(false);
                run.run();
            });
        });
        long waitedNanos = 0;
        for (int i = 0; i < 5; i++) {
            Gate gate = new Gate();
            Future<?> first = executor.submit(() -> {
                busy.set(true);
                gate.run();
                busy.set(false);
            });
            gate.awaitArrivals(1);
            Future<?> next = executor.submit(() -> {});
            // By then the pauses have grown to 100 ms, and one has just begun.
            int before = refusals.get();
            awaitThat(() -> refusals.get() == before + 8);
            long openedNanos = System.nanoTime();
            gate.open();
            Object ignored = next.get(30, SECONDS);
            waitedNanos += System.nanoTime() - openedNanos;
            assertThat(first.isDone()).isTrue();
        }
        assertThat(waitedNanos).isLessThan(300_000_000);
    }

    @Test
    void stoppingReturnsWhatWasRefusedAndWhatWaitsBehindIt() throws Exception {
        WheelScheduledExecutor executor = withExecutor(run -> {
            throw new RejectedExecutionException("full");
        });
        WheelTimer<?> refused = executor.schedule(() -> {}, 0, NANOSECONDS);
        awaitThat(() -> executor.snapshot().totals().refusedHandOvers() > 0);
        WheelTimer<?> behind = executor.schedule(() -> {}, 0, NANOSECONDS);
        WheelTimer<?> far = executor.schedule(() -> {}, 1, HOURS);
        awaitThat(() -> executor.readyCount() == 1);
        assertThat(executor.shutdownNow()).containsExactly(refused, behind, far);
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(executor.pendingCount()).isZero();
    }

    private WheelScheduledExecutor withExecutor(Executor target) {
        return stops.use(WheelScheduledExecutor.builder().executor(target).build());
    }
}
