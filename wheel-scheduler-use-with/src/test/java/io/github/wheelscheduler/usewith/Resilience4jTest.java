package io.github.wheelscheduler.usewith;

import static io.github.wheelscheduler.usewith.OurExecutor.LIMIT;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import io.github.resilience4j.timelimiter.TimeLimiter;
import io.github.wheelscheduler.WheelScheduledExecutor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class Resilience4jTest {

    @RegisterExtension
    final OurExecutor ours = OurExecutor.inRealTime();

    private final WheelScheduledExecutor executor = ours.executor();

    @Test
    void limitsAndRetriesOnTheWheel() throws Exception {
        Service service = new Service();

        // snippet
        TimeLimiter limiter = TimeLimiter.of(Duration.ofMillis(200));
        Retry retry = Retry.of(
                "prices",
                RetryConfig.custom()
                        .maxAttempts(3)
                        .intervalFunction(IntervalFunction.ofExponentialBackoff(50))
                        .build());

        CompletionStage<String> price =
                retry.executeCompletionStage(executor, () -> limiter.executeCompletionStage(executor, service::price));
        // end of snippet

        assertThat(price.toCompletableFuture().get(LIMIT.toSeconds(), SECONDS)).isEqualTo("42");
        assertThat(service.askedBy).hasSize(3);
        assertThat(service.askedBy.subList(1, 3)).allSatisfy(OurExecutor::assertIsWorker);
        assertThat(retry.getMetrics().getNumberOfSuccessfulCallsWithRetryAttempt())
                .isEqualTo(1);
        // two limits that were reached, two pauses, and a limit that was in time
        assertThat(ours.fired()).isGreaterThanOrEqualTo(4);
        assertThat(executor.snapshot().totals().scheduled()).isEqualTo(5);
    }

    /** Answers the third time only. */
    private static final class Service {

        final List<String> askedBy = new CopyOnWriteArrayList<>();

        CompletableFuture<String> price() {
            askedBy.add(Thread.currentThread().getName());
            return askedBy.size() < 3 ? new CompletableFuture<>() : CompletableFuture.completedFuture("42");
        }
    }
}
