package io.github.wheelscheduler.internal.engine;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.testing.Gate;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What is due and has no room waits in the order of its time, as long as no group has timers. */
class BacklogOrderTest {

    private static final int MILLIS = 500;
    private static final int EACH_MILLI = 40;

    @Test
    void seriesThatIsBehindHasItsTurnByItsTime() {
        try (WheelScheduledExecutor executor =
                WheelScheduledExecutor.builder().maxWorkers(1).build()) {
            Gate gate = new Gate();
            executor.execute(gate);
            gate.awaitArrivals(1);
            AtomicInteger others = new AtomicInteger();
            AtomicInteger beats = new AtomicInteger();
            AtomicInteger beatsBefore = new AtomicInteger();
            WheelTimer<?> beat = executor.scheduleAtFixedRate(beats::incrementAndGet, 10, 10, MILLISECONDS);
            long startNanos = executor.nanoTime();
            for (int i = 0; i < MILLIS * EACH_MILLI; i++) {
                WheelTimer<?> ignored = executor.schedule(
                        () -> {
                            if (others.incrementAndGet() == MILLIS * EACH_MILLI * 4 / 5) {
                                beatsBefore.set(beats.get());
                            }
                        },
                        i / EACH_MILLI,
                        MILLISECONDS);
            }
            awaitThat(() -> executor.nanoTime() - startNanos > MILLISECONDS.toNanos(2 * MILLIS));
            gate.open();
            awaitThat(() -> others.get() == MILLIS * EACH_MILLI);
            assertThat(beat.cancel(false)).isTrue();
            // Each beat goes through the ready queue, which holds a fifth of the others.
            assertThat(beatsBefore).hasValueGreaterThanOrEqualTo(3);
        }
    }
}
