package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Scale;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Executors that are stopped at the moment when a task is on its way. */
class ShutdownRaceTest {

    private static final int ROUNDS = Scale.of(300, 1_000, 50_000);

    @Test
    void seriesThatIsHandedBackIsNotCancelled() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
            AtomicLong runs = new AtomicLong();
            WheelTimer<?> series = executor.scheduleAtFixedRate(runs::incrementAndGet, 0, 1, NANOSECONDS);
            int minimum = round % 50;
            awaitThat(() -> runs.get() > minimum);
            List<Runnable> handedBack = executor.shutdownNow();
            assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
            assertThat(series.isCancelled()).as("round %s", round).isEqualTo(handedBack.isEmpty());
        }
    }

    @Test
    void dueTimersAreNotDelayed() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
            executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
            Future<String> due = executor.submit(() -> "ran");
            Future<?> delayed = executor.schedule(() -> "too early", 1, SECONDS);
            executor.shutdown();
            assertThat(due.get(30, SECONDS)).isEqualTo("ran");
            assertThat(delayed.isCancelled()).isTrue();
            assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        }
    }
}
