package io.github.wheelscheduler.usewith;

import static io.github.wheelscheduler.usewith.OurExecutor.LIMIT;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.failsafe.RetryPolicy;
import dev.failsafe.Timeout;
import dev.failsafe.TimeoutExceededException;
import io.github.wheelscheduler.WheelScheduledExecutor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class FailsafeTest {

    @RegisterExtension
    final OurExecutor ours = OurExecutor.inRealTime();

    private final WheelScheduledExecutor executor = ours.executor();

    @Test
    void retriesOnTheWheel() throws Exception {
        Service service = new Service();

        // snippet
        RetryPolicy<String> policy = RetryPolicy.<String>builder()
                .withMaxAttempts(5)
                .withBackoff(Duration.ofMillis(20), Duration.ofSeconds(1))
                .build();
        FailsafeExecutor<String> failsafe = Failsafe.with(policy).with(executor);

        CompletableFuture<String> price = failsafe.getAsync(() -> service.price());
        // end of snippet

        assertThat(price.get(LIMIT.toSeconds(), SECONDS)).isEqualTo("42");
        assertThat(service.askedBy).hasSize(3).allSatisfy(OurExecutor::assertIsWorker);
        assertThat(ours.fired()).isEqualTo(3);
    }

    /** As the page says. */
    @Test
    void timeoutIsOnFailsafesOwnTimer() {
        CompletableFuture<String> price = Failsafe.with(Timeout.of(Duration.ofMillis(50)))
                .with(executor)
                .getStageAsync(() -> new CompletableFuture<String>());
        assertThatThrownBy(() -> price.get(LIMIT.toSeconds(), SECONDS))
                .hasCauseInstanceOf(TimeoutExceededException.class);
        assertThat(executor.snapshot().totals().scheduled()).isEqualTo(1);
    }

    /** Answers the third time only. */
    private static final class Service {

        final List<String> askedBy = new CopyOnWriteArrayList<>();

        String price() {
            askedBy.add(Thread.currentThread().getName());
            if (askedBy.size() < 3) {
                throw new IllegalStateException("no price yet");
            }
            return "42";
        }
    }
}
