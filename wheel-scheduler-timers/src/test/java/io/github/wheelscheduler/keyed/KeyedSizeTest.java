package io.github.wheelscheduler.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.WheelScheduledExecutor;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How many keys are seen pending while they move. */
class KeyedSizeTest {

    private static final int ROUNDS = 300_000;
    private static final Duration LATER = Duration.ofHours(1);

    @Test
    void sizeStaysWithinTheBoundWhileAValueIsReplaced() throws InterruptedException {
        try (WheelScheduledExecutor executor = WheelScheduledExecutor.builder().build();
                KeyedTimers<String, Integer> timers = KeyedTimers.<String, Integer>builder(executor, (key, value) -> {})
                        .maxSize(1)
                        .build()) {
            Thread caller = new Thread(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    Integer ignored = timers.set("a", round, LATER);
                }
            });
            caller.start();
            long most = 0;
            while (caller.isAlive()) {
                most = Math.max(most, timers.size());
            }
            caller.join();
            assertThat(most).isEqualTo(1);
            assertThat(timers.size()).isEqualTo(1);
            assertThat(timers.counts().replaced()).isEqualTo(ROUNDS - 1);
        }
    }
}
