package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.testing.FailingTime;
import io.github.wheelscheduler.testing.FailingTime.Skipping;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import io.github.wheelscheduler.testing.StopsAfterwards;
import io.github.wheelscheduler.testing.WorkerKind;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A run that is left in the middle ends all the same: an error that nobody in between catches stands in for one that
 * skips the handlers of its frame, as when there is no memory to turn it back into interpreted ones. The clock throws
 * it, at each step after the task.
 */
class SkippedHandlersTest {

    /** More than there are steps. */
    private static final int STEPS = 8;

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final FailingTime time = new FailingTime();
    private final AtomicInteger runs = new AtomicInteger();

    @RegisterExtension
    final LogCapture log = LogCapture.of("io.github.wheelscheduler");

    @Test
    void seriesGoesOnThoughTheEndOfARefusalWasSkipped() throws Exception {
        WheelScheduledExecutor root = root(WorkerKind.ELASTIC);
        WheelScheduledExecutor group = group(root, OnFull.REJECT);
        Gate gate = new Gate();
        group.execute(gate);
        gate.awaitArrivals(1);
        for (int step = 0; step < STEPS; step++) {
            Refusable task = new Refusable(step);
            Future<?> series = group.scheduleAtFixedRate(task, 1, 1, MILLISECONDS);
            awaitThat(() -> task.refusals.get() > 2 && !time.isToFail());
            int before = task.refusals.get();
            awaitThat(() -> task.refusals.get() > before);
            assertThat(series.cancel(false)).isTrue();
        }
        gate.open();
        assertExactAndEnds(root, group);
    }

    @ParameterizedTest
    @EnumSource(
            value = OnFull.class,
            names = {"REJECT", "DROP"})
    void oneTimeTimerEndsThoughTheEndOfItsRefusalWasSkipped(OnFull onFull) throws Exception {
        WheelScheduledExecutor root = root(WorkerKind.ELASTIC);
        WheelScheduledExecutor group = group(root, onFull);
        Gate gate = new Gate();
        group.execute(gate);
        gate.awaitArrivals(1);
        for (int step = 0; step < STEPS; step++) {
            Future<?> refused = group.schedule(new Refusable(step), 1, MILLISECONDS);
            awaitThat(refused::isDone);
        }
        time.failNoMore();
        gate.open();
        assertExactAndEnds(root, group);
    }

    @ParameterizedTest
    @EnumSource
    void seriesEndsWithTheErrorThatSkippedItsEnd(WorkerKind kind) throws Exception {
        WheelScheduledExecutor root = root(kind);
        for (int step = 0; step < STEPS; step++) {
            Future<?> series = root.scheduleWithFixedDelay(failing(step), 1, 1, MILLISECONDS);
            int before = runs.get();
            awaitThat(() -> series.isDone() || runs.get() > before + STEPS);
            if (step == 0) {
                assertThatExceptionOfType(ExecutionException.class)
                        .isThrownBy(() -> series.get(30, SECONDS))
                        .withCauseInstanceOf(Skipping.class);
            }
            boolean ignored = series.cancel(false);
        }
        assertExactAndEnds(root, root);
    }

    @Test
    void runInAGroupEndsAndLeavesItsPlace() throws Exception {
        WheelScheduledExecutor root = root(WorkerKind.ELASTIC);
        WheelScheduledExecutor group = group(root, OnFull.REJECT);
        for (int step = 0; step < STEPS; step++) {
            Future<?> series = group.scheduleWithFixedDelay(failing(step), 1, 1, MILLISECONDS);
            int before = runs.get();
            awaitThat(() -> series.isDone() || runs.get() > before + STEPS);
            boolean ignored = series.cancel(false);
        }
        assertExactAndEnds(root, group);
    }

    @Test
    void seriesEndsThoughItsWrapperKeptTheErrorToItself() throws Exception {
        WheelScheduledExecutor root = stops.use(WheelScheduledExecutor.builder()
                .timeSource(time)
                .decorator(timer -> () -> {
                    try {
                        ((Runnable) timer).run();
                    } catch (Skipping ex) {
                        // As some do.
                    }
                })
                .build());
        Future<?> series = root.scheduleWithFixedDelay(failing(0), 1, 1, MILLISECONDS);
        awaitThat(series::isDone);
        assertExactAndEnds(root, root);
    }

    private WheelScheduledExecutor root(WorkerKind kind) {
        return stops.use(
                kind.applyTo(WheelScheduledExecutor.builder().timeSource(time)).build());
    }

    private static WheelScheduledExecutor group(WheelScheduledExecutor root, OnFull onFull) {
        return root.newGroup("group")
                .maxWorkers(1)
                .queueCapacity(0)
                .onFull(onFull)
                .build();
    }

    private Runnable failing(int step) {
        AtomicInteger own = new AtomicInteger();
        return () -> {
            if (own.incrementAndGet() == 2) {
                time.failHere(step);
            }
            runs.incrementAndGet();
        };
    }

    private void assertExactAndEnds(WheelScheduledExecutor root, WheelScheduledExecutor used) throws Exception {
        time.failNoMore();
        awaitThat(() -> used.pendingCount() == 0 && used.activeCount() == 0);
        GroupSlots slots = EngineOf.executor(used).dispatcher().slots;
        awaitThat(() -> slots == null || slots.taken() == 0);
        Future<String> next = used.submit(() -> "ran");
        assertThat(next.get(30, SECONDS)).isEqualTo("ran");
        root.shutdown();
        assertThat(root.awaitTermination(30, SECONDS)).isTrue();
    }

    /** Lets the clock fail when it is told of its second refusal, if it is a series. */
    private final class Refusable implements ManagedTask, Runnable {

        final AtomicInteger refusals = new AtomicInteger();
        private final int step;

        Refusable(int step) {
            this.step = step;
        }

        @Override
        public void run() {}

        @Override
        public String taskName() {
            return "refusable";
        }

        @Override
        public void refused(RejectedExecutionException reason) {
            if (refusals.incrementAndGet() <= 2) {
                time.failHere(step);
            }
        }
    }
}
