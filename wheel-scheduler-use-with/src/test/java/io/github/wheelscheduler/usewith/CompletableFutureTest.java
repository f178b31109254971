package io.github.wheelscheduler.usewith;

import static io.github.wheelscheduler.usewith.OurExecutor.LIMIT;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelTimer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@SuppressWarnings("FutureReturnValueIgnored") // as on the page
class CompletableFutureTest {

    @RegisterExtension
    final OurExecutor ours = OurExecutor.inRealTime();

    private final WheelScheduledExecutor executor = ours.executor();

    // snippet
    <T> CompletableFuture<T> orTimeout(CompletableFuture<T> future, Duration limit) {
        WheelTimer<?> timer = executor.schedule(
                () -> future.completeExceptionally(new TimeoutException("no answer within " + limit)),
                limit.toNanos(),
                NANOSECONDS);
        future.whenComplete((value, failure) -> timer.cancel(false));
        return future;
    }

    Executor delayedExecutor(Duration delay) {
        return task -> executor.schedule(task, delay.toNanos(), NANOSECONDS);
    }
    // end of snippet

    @Test
    void futureFailsWhenItsTimeHasCome() throws Exception {
        Service service = new Service();

        // snippet
        CompletableFuture<String> price = orTimeout(service.price(), Duration.ofMillis(200));
        CompletableFuture<String> retry =
                CompletableFuture.supplyAsync(service::cachedPrice, delayedExecutor(Duration.ofMillis(50)));
        // end of snippet

        assertThat(retry.get(LIMIT.toSeconds(), SECONDS)).isEqualTo("41");
        OurExecutor.assertIsWorker(service.cacheAskedBy);
        // A thread that waits for a future may itself run the dependent stages.
        OurExecutor.assertIsWorker(service.priceEndedBy.get(LIMIT.toSeconds(), SECONDS));
        assertThatThrownBy(price::join)
                .hasCauseInstanceOf(TimeoutException.class)
                .hasMessageContaining("no answer within PT0.2S");
        assertThat(ours.fired()).isEqualTo(2);
    }

    @Test
    void futureThatIsDoneInTimeTakesItsTimerAlong() {
        CompletableFuture<String> price = orTimeout(new CompletableFuture<>(), Duration.ofHours(1));
        assertThat(executor.pendingCount()).isEqualTo(1);
        price.complete("42");
        assertThat(executor.pendingCount()).isZero();
        assertThat(price).isCompletedWithValue("42");
    }

    private static final class Service {

        volatile String cacheAskedBy = "nobody";
        final CompletableFuture<String> priceEndedBy = new CompletableFuture<>();

        CompletableFuture<String> price() {
            CompletableFuture<String> price = new CompletableFuture<>();
            price.whenComplete((value, failure) ->
                    priceEndedBy.complete(Thread.currentThread().getName()));
            return price;
        }

        String cachedPrice() {
            cacheAskedBy = Thread.currentThread().getName();
            return "41";
        }
    }
}
