package io.github.wheelscheduler;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.testing.StopsAfterwards;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A library that shuts down what it was given ends nothing. */
class UnclosableExecutorTest {

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final WheelScheduledExecutor executor =
            stops.use(WheelScheduledExecutor.builder().build());
    private final ScheduledExecutorService given = executor.group("library").unclosable();

    @Test
    void closingItInAnyWayHasNoEffect() throws Exception {
        ScheduledFuture<?> pending = given.schedule(() -> {}, 1, HOURS);
        given.shutdown();
        assertThat(given.shutdownNow()).isEmpty();
        ((AutoCloseable) given).close();
        assertThat(given.awaitTermination(1, HOURS)).isFalse();
        assertThat(given.isShutdown()).isFalse();
        assertThat(pending.isDone()).isFalse();
        assertThat(given.submit(() -> 1).get(30, SECONDS)).isEqualTo(1);
        assertThat(executor.isShutdown()).isFalse();
    }

    @Test
    void repeatedAwaitTerminationUsesNoProcessor() throws Exception {
        int asked = 0;
        for (long end = System.nanoTime() + MILLISECONDS.toNanos(500); System.nanoTime() - end < 0; asked++) {
            assertThat(given.awaitTermination(1, HOURS)).isFalse();
        }
        assertThat(asked).isBetween(1, 10);
        executor.shutdown();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(given.awaitTermination(1, HOURS)).isTrue();
        assertThat(given.awaitTermination(-1, HOURS)).isTrue();
    }

    @Test
    void allElseIsAsInTheExecutor() throws Exception {
        assertThat(given.schedule(() -> 2, 1, MILLISECONDS).get(30, SECONDS)).isEqualTo(2);
        assertThat(given.submit(() -> {}, 3).get(30, SECONDS)).isEqualTo(3);
        List<Callable<Integer>> tasks = List.of(() -> 4, () -> 5);
        assertThat(given.invokeAny(tasks)).isBetween(4, 5);
        for (Future<Integer> future : given.invokeAll(tasks)) {
            assertThat(future.isDone()).isTrue();
        }
        ScheduledFuture<?> rate = given.scheduleAtFixedRate(() -> {}, 1, 1, HOURS);
        assertThat(rate.cancel(false)).isTrue();
        assertThat(given.scheduleWithFixedDelay(() -> {}, 1, 1, HOURS).cancel(false))
                .isTrue();
        executor.shutdown();
        assertThat(given.isShutdown()).isTrue();
        assertThatThrownBy(() -> given.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }
}
