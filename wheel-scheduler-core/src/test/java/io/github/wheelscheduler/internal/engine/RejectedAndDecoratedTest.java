package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.EngineOf;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.Scale;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A series outlives a slow wrapper, and what is rejected has not run. */
class RejectedAndDecoratedTest {

    @RegisterExtension
    private final StopsAfterwards stops = new StopsAfterwards();

    @Test
    void wrapperThatGoesOnAfterTheRunDoesNotEndTheSeries() {
        AtomicInteger runs = new AtomicInteger();
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                .maxWorkers(1)
                .decorator(timer -> () -> {
                    timer.run();
                    // The next run becomes due and ready meanwhile, and waits for this only worker.
                    LockSupport.parkNanos(this, 20_000_000);
                })
                .build();
        try {
            WheelTimer<?> timer = executor.scheduleAtFixedRate(runs::incrementAndGet, 1, 1, MILLISECONDS);
            await().atMost(Duration.ofSeconds(20)).until(() -> runs.get() > 3 || timer.isDone());
            assertThat(timer.isDone()).isFalse();
        } finally {
            List<Runnable> ignored = executor.shutdownNow();
        }
    }

    @Test
    void seriesThatIsRunFromOutsideGoesOnAsAnUndecoratedOne() {
        for (boolean isDecorated : new boolean[] {false, true}) {
            Gate gate = new Gate();
            AtomicInteger runs = new AtomicInteger();
            WheelScheduledExecutorBuilder builder =
                    WheelScheduledExecutor.builder().maxWorkers(1);
            WheelScheduledExecutor executor =
                    stops.use((isDecorated ? builder.decorator(RejectedAndDecoratedTest::wrapped) : builder).build());
            WheelTimer<?> holding = executor.schedule(gate, 0, NANOSECONDS);
            gate.awaitArrivals(1);
            WheelTimer<?> series = executor.scheduleAtFixedRate(runs::incrementAndGet, 0, 1, MILLISECONDS);
            awaitThat(() -> executor.readyCount() == 1);
            series.run();
            assertThat(runs).hasValue(1);
            gate.open();
            awaitThat(() -> runs.get() > 3 || series.isDone());
            assertThat(series.isDone()).as("decorated: %s", isDecorated).isFalse();
            assertThat(holding.isDone()).isTrue();
        }
    }

    private static Runnable wrapped(Runnable timer) {
        return () -> {
            assertThat(timer).isNotNull();
            timer.run();
        };
    }

    @Test
    void wrapperThatDoesNotRunTheSeriesEndsIt() {
        AtomicInteger runs = new AtomicInteger();
        AtomicBoolean mayRun = new AtomicBoolean();
        WheelScheduledExecutor executor = stops.use(WheelScheduledExecutor.builder()
                .decorator(timer -> () -> {
                    if (mayRun.get()) {
                        timer.run();
                    }
                })
                .build());
        WheelTimer<?> series = executor.scheduleAtFixedRate(runs::incrementAndGet, 20, 1, MILLISECONDS);
        series.run();
        awaitThat(series::isCancelled);
        assertThat(runs).hasValue(0);
        // The worker that has cancelled it counts that afterwards.
        awaitThat(() -> executor.pendingCount() == 0);
    }

    @Test
    void wrappingThatFailsLeavesNothingPending() {
        WheelScheduledExecutor executor = WheelScheduledExecutor.builder()
                .maxPending(1)
                .decorator(timer -> {
                    assertThat(timer.cancel(false)).isTrue();
                    throw new IllegalStateException("on purpose");
                })
                .build();
        try {
            for (int i = 0; i < 3; i++) {
                assertThatIllegalStateException().isThrownBy(() -> executor.schedule(() -> {}, 1, MILLISECONDS));
                assertThat(executor.pendingCount()).isZero();
                assertThat(EngineOf.executor(executor).pending.inUse()).isZero();
            }
        } finally {
            List<Runnable> ignored = executor.shutdownNow();
        }
    }

    @Test
    void rejectedTaskNeverRuns() {
        int rejectedAndRun = 0;
        for (int i = 0; i < Scale.of(500, 5_000, 50_000); i++) {
            WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
            AtomicBoolean ran = new AtomicBoolean();
            boolean rejected = false;
            try {
                WheelTimer<?> unused = executor.schedule(
                        () -> {
                            executor.shutdown();
                            ran.set(true);
                            LockSupport.parkNanos(this, 200_000);
                        },
                        0,
                        NANOSECONDS);
            } catch (RejectedExecutionException ex) {
                rejected = true;
            }
            executor.close();
            rejectedAndRun += rejected && ran.get() ? 1 : 0;
        }
        assertThat(rejectedAndRun).isZero();
    }
}
