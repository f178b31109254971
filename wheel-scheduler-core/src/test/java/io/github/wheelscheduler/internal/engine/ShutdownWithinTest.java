package io.github.wheelscheduler.internal.engine;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Shutting down for a caller that does not wait for ever. */
class ShutdownWithinTest {

    private static final Duration LIMIT = Duration.ofSeconds(5);

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    @Test
    void timersBeyondTheLimitAreReturnedAndOthersRun() {
        try (VirtualTime time = new VirtualTime()) {
            VirtualTime.Recorder recorder = time.recorder();
            WheelTimer<?> far = time.executor.schedule(recorder, 2, HOURS);
            WheelTimer<?> justTooLate = time.executor.schedule(recorder, 5_001, MILLISECONDS);
            WheelTimer<?> justInTime = time.executor.schedule(recorder, 4_999, MILLISECONDS);
            WheelTimer<?> soon = time.executor.schedule(recorder, 1, SECONDS);

            assertThat(time.executor.shutdownWithin(LIMIT)).containsExactly(justTooLate, far);

            assertThat(far.isDone()).isFalse();
            assertThat(time.executor.pendingCount()).isEqualTo(2);
            time.pass(LIMIT);
            assertThat(recorder.take()).containsExactly(1_000L, 4_999L);
            assertThat(soon.isDone()).isTrue();
            assertThat(justInTime.isDone()).isTrue();
        }
    }

    @Test
    void terminationDoesNotWaitForTimersHandedBack() throws Exception {
        WheelScheduledExecutor executor =
                stops.use(WheelScheduledExecutor.builder().maxPending(2).build());
        WheelTimer<?> far = executor.schedule(() -> {}, 1, HOURS);

        assertThat(executor.shutdownWithin(Duration.ofMinutes(1))).containsExactly(far);

        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(executor.remainingPending()).isEqualTo(2);
        far.run();
        assertThat(far.isCancelled()).as("not run any more").isTrue();
    }

    @Test
    void runsThatAreGoingOnOrWaitForAWorkerAreWaitedFor() throws Exception {
        WheelScheduledExecutor executor =
                stops.use(WheelScheduledExecutor.builder().maxWorkers(1).build());
        Gate gate = new Gate();
        executor.execute(gate);
        gate.awaitArrivals(1);
        Future<String> waiting = executor.submit(() -> "ran");

        assertThat(executor.shutdownWithin(Duration.ZERO)).isEmpty();

        gate.open();
        assertThat(waiting.get(30, SECONDS)).isEqualTo("ran");
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(gate.interrupts()).isZero();
    }

    @Test
    void seriesAreDroppedAsTheirPolicySaysAndNotHandedBack() {
        try (VirtualTime time = new VirtualTime()) {
            WheelTimer<?> rate = time.executor.scheduleAtFixedRate(() -> {}, 2, 2, HOURS);
            WheelTimer<?> instant =
                    time.executor.scheduleAt(() -> {}, time.wallClock.instant().plusSeconds(7_200));

            assertThat(time.executor.shutdownWithin(LIMIT)).isEmpty();

            assertThat(rate.isCancelled()).isTrue();
            assertThat(instant.isCancelled()).isTrue();
        }
    }

    @Test
    void delayedTasksAreReturnedWithoutThePolicy() {
        try (VirtualTime time = new VirtualTime()) {
            time.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
            WheelTimer<?> soon = time.executor.schedule(() -> {}, 1, MILLISECONDS);

            assertThat(time.executor.shutdownWithin(Duration.ZERO)).containsExactly(soon);
        }
    }

    @Test
    void limitAfterAnOrderlyShutdownDropsLateTimers() throws Exception {
        WheelScheduledExecutor executor =
                stops.use(WheelScheduledExecutor.builder().build());
        WheelTimer<?> far = executor.schedule(() -> {}, 1, HOURS);
        executor.shutdown();
        assertThat(far.isDone()).isFalse();

        assertThat(executor.shutdownWithin(LIMIT)).containsExactly(far);

        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
    }

    @Test
    void hugeLimitDropsNothing() {
        try (VirtualTime time = new VirtualTime()) {
            WheelTimer<?> far = time.executor.schedule(() -> {}, 100_000, HOURS);

            assertThat(time.executor.shutdownWithin(Duration.ofSeconds(Long.MAX_VALUE)))
                    .isEmpty();
            assertThat(far.isDone()).isFalse();
        }
    }

    @Test
    void negativeLimitIsRefused() {
        WheelScheduledExecutor executor =
                stops.use(WheelScheduledExecutor.builder().build());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> executor.shutdownWithin(Duration.ofNanos(-1)))
                .withMessage("limit must not be negative, was PT-0.000000001S");
        assertThat(executor.isShutdown()).isFalse();
    }
}
