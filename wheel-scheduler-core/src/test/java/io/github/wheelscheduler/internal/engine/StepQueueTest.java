package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What is due in virtual time waits for its turn: it is counted, cancelled and shut down like what waits in real time.
 */
class StepQueueTest {

    private static final int WAITING = 3;

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final VirtualSource source = new VirtualSource();
    private final AtomicInteger runs = new AtomicInteger();
    private final WheelScheduledExecutor executor =
            stops.use(WheelScheduledExecutor.builder().timeSource(source).build());
    private final WheelScheduledExecutor group =
            executor.newGroup("full").maxWorkers(1).queueCapacity(0).build();

    private Gate fill() {
        Gate gate = new Gate();
        group.execute(gate);
        gate.awaitArrivals(1);
        return gate;
    }

    private List<Future<?>> letWait() {
        List<Future<?>> waiting = new ArrayList<>();
        for (int i = 0; i < WAITING; i++) {
            waiting.add(group.schedule(runs::incrementAndGet, 1, SECONDS));
        }
        EngineOf.executor(executor).allow(100);
        source.advance(SECONDS.toNanos(2), executor);
        return waiting;
    }

    @Test
    void timersThatLackAPlaceAreCountedUntilTheyGo() {
        Gate gate = fill();
        List<Future<?>> waiting = letWait();
        awaitThat(() -> group.readyCount() == WAITING);
        assertThat(group.snapshot().ready()).isEqualTo(WAITING);
        assertThat(group.snapshot().oldestReady().toSeconds()).isOne();
        assertThat(executor.readyCount()).isZero();
        assertThat(waiting.get(0).cancel(false)).isTrue();
        gate.open();
        awaitThat(() -> runs.get() == WAITING - 1 && group.readyCount() == 0);
        assertThat(group.pendingCount()).isZero();
    }

    @Test
    void groupThatIsShutDownWhileItsTimersLackAPlaceEnds() throws Exception {
        Gate gate = fill();
        List<Future<?>> waiting = letWait();
        group.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        group.shutdown();
        gate.open();
        assertThat(group.awaitTermination(30, SECONDS)).isTrue();
        assertThat(waiting).allMatch(Future::isCancelled);
        assertThat(group.readyCount()).isZero();
    }

    @Test
    void undrivenExecutorRunsTasksWithoutTimeAfterAHalt() throws Exception {
        Future<?> later = executor.schedule(runs::incrementAndGet, 1, HOURS);
        for (int i = 0; i < 3; i++) {
            executor.halt();
            assertThat(executor.submit(() -> "halted").get(30, SECONDS)).isEqualTo("halted");
            executor.proceed();
            assertThat(executor.submit(() -> "proceeding").get(30, SECONDS)).isEqualTo("proceeding");
        }
        source.advance(HOURS.toNanos(2), executor);
        assertThat(executor.submit(() -> "not driven").get(30, SECONDS)).isEqualTo("not driven");
        assertThat(later.isDone()).isFalse();
        executor.shutdownNow();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
    }

    /** Time that a test moves. */
    private static final class VirtualSource extends TimeSource {

        private final AtomicLong now = new AtomicLong();

        @Override
        public long nanoTime() {
            return now.get();
        }

        @Override
        public boolean isVirtual() {
            return true;
        }

        @Override
        public void parkNanos(Object blocker, long nanos) {
            LockSupport.park(blocker);
        }

        void advance(long nanos, WheelScheduledExecutor executor) {
            now.addAndGet(nanos);
            EngineOf.executor(executor).inbox.wake();
        }
    }
}
