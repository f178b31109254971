package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.StopsAfterwards;
import io.github.wheelscheduler.testing.WorkerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs that a given executor has taken and not started are pending still: a pause holds them back, a stop returns them.
 */
class RunsOnTheirWayTest {

    private static final int RUNS = 3;

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    /** The given executor: a test runs what is in it, when it pleases. */
    private final BlockingQueue<Runnable> taken = new LinkedBlockingQueue<>();

    private final AtomicInteger ran = new AtomicInteger();
    private final List<WheelTimer<?>> timers = new ArrayList<>();

    private final WheelScheduledExecutor executor = stops.use(WheelScheduledExecutor.builder()
            .executor(taken::add)
            .maxPending(RUNS)
            .build());

    @Test
    void runsCancelledOnTheirWayDoNotStart() throws Exception {
        scheduleAndAwaitTaken();
        assertThat(timers).allMatch(timer -> timer.cancel(false));
        assertNothingIsLeft();
        executor.shutdown();
        runWhatIsTaken();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(ran).hasValue(0);
    }

    @Test
    void stoppingReturnsThemAndTheyRunNoMore() throws Exception {
        scheduleAndAwaitTaken();
        List<Runnable> late = List.copyOf(taken);
        assertThat(executor.shutdownNow()).containsExactlyInAnyOrderElementsOf(timers);
        late.forEach(Runnable::run);
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(ran).hasValue(0);
        assertThat(timers).noneMatch(WheelTimer::isDone);
        assertNothingIsLeft();
    }

    @Test
    void runThatAPauseSendsBackIsLostByNoStop() throws Exception {
        for (int round = 0; round < Scale.of(100, 300, 10_000); round++) {
            BlockingQueue<Runnable> way = new LinkedBlockingQueue<>();
            WheelScheduledExecutor stopped =
                    WheelScheduledExecutor.builder().executor(way::add).build();
            WheelTimer<?> timer = stopped.schedule(() -> {}, 0, NANOSECONDS);
            Runnable run = way.take();
            stopped.pause();
            CountDownLatch ready = new CountDownLatch(1);
            Thread runner = new Thread(() -> {
                ready.countDown();
                run.run();
            });
            runner.start();
            ready.await();
            LockSupport.parkNanos(round % 50 * 1_000L);
            if (round % 2 == 0) {
                List<Runnable> returned = stopped.shutdownNow();
                assertThat(returned).containsExactly(timer);
            } else {
                stopped.shutdown();
                while (!stopped.awaitTermination(1, MILLISECONDS)) {
                    Runnable again = way.poll();
                    if (again != null) {
                        again.run();
                    }
                }
                assertThat(timer.isDone()).isTrue();
            }
            runner.join();
            assertThat(stopped.awaitTermination(30, SECONDS)).isTrue();
            assertThat(stopped.pendingCount()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(WorkerKind.class)
    void stoppingInterruptsEveryRunThatHasStarted(WorkerKind kind) throws Exception {
        for (int round = 0; round < Scale.of(50, 150, 10_000); round++) {
            WheelScheduledExecutor stopped =
                    kind.applyTo(WheelScheduledExecutor.builder()).build();
            Gate gate = new Gate();
            for (int i = 0; i < RUNS; i++) {
                stopped.execute(gate);
            }
            if (round % 3 == 0) {
                gate.awaitArrivals(1 + round % RUNS);
            }
            LockSupport.parkNanos(round % 50 * 2_000L);
            List<Runnable> returned = stopped.shutdownNow();
            assertThat(stopped.awaitTermination(30, SECONDS)).isTrue();
            assertThat(gate.interrupts()).isEqualTo(gate.arrivals()).isEqualTo(RUNS - returned.size());
        }
    }

    private void scheduleAndAwaitTaken() {
        for (int i = 0; i < RUNS; i++) {
            timers.add(executor.schedule(ran::incrementAndGet, 0, NANOSECONDS));
        }
        awaitThat(() -> taken.size() == RUNS);
    }

    private void runWhatIsTaken() {
        awaitThat(() -> taken.size() == RUNS);
        List<Runnable> runs = new ArrayList<>();
        taken.drainTo(runs);
        runs.forEach(Runnable::run);
    }

    private void assertNothingIsLeft() {
        assertThat(executor.pendingCount()).isZero();
        assertThat(EngineOf.executor(executor).pending.inUse()).isZero();
    }
}
