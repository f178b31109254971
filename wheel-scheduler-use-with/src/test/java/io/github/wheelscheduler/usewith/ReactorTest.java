package io.github.wheelscheduler.usewith;

import static io.github.wheelscheduler.usewith.OurExecutor.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.wheelscheduler.WheelScheduledExecutor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

class ReactorTest {

    @RegisterExtension
    final OurExecutor ours = OurExecutor.inRealTime();

    private final WheelScheduledExecutor executor = ours.executor();

    @Test
    void timesOutAndRepeatsOnTheWheel() {
        Service service = new Service();

        // snippet
        Scheduler wheel = Schedulers.fromExecutorService(executor.unclosable());

        Mono<String> price = service.price().timeout(Duration.ofMillis(200), wheel);
        Flux<Long> beat = Flux.interval(Duration.ofMillis(10), wheel);
        // end of snippet

        List<String> threads = new CopyOnWriteArrayList<>();
        assertThatThrownBy(() ->
                        price.doOnError(ex -> threads.add(currentThread())).block(LIMIT))
                .hasCauseInstanceOf(TimeoutException.class);
        assertThat(ours.fired()).isEqualTo(1);
        assertThat(beat.doOnNext(i -> threads.add(currentThread())).take(3).blockLast(LIMIT))
                .isEqualTo(2);
        assertThat(threads).hasSize(4).allSatisfy(OurExecutor::assertIsWorker);
        assertThat(ours.fired()).isGreaterThanOrEqualTo(4);

        // snippet
        wheel.dispose();
        // end of snippet
        assertThat(wheel.isDisposed()).isTrue();
    }

    @Test
    void disposedTaskIsNoLongerPending() {
        Scheduler wheel = Schedulers.fromExecutorService(executor.unclosable());
        Disposable delay = Mono.delay(Duration.ofHours(1), wheel).subscribe();
        assertThat(executor.pendingCount()).isEqualTo(1);
        delay.dispose();
        assertThat(executor.pendingCount()).isZero();
        wheel.dispose();
    }

    @Test
    void groupOfOneWorkerKeepsTheOrderOfReactorsWorkers() {
        WheelScheduledExecutor inOrder =
                executor.newGroup("reactor").maxWorkers(1).build();
        Scheduler wheel = Schedulers.fromExecutorService(inOrder.unclosable());
        assertThat(Flux.range(0, 1_000)
                        .delaySequence(Duration.ofMillis(10), wheel)
                        .collectList()
                        .block(LIMIT))
                .isEqualTo(IntStream.range(0, 1_000).boxed().toList());
        assertThat(inOrder.snapshot().totals().fired()).isGreaterThanOrEqualTo(1_000);
        wheel.dispose();
        assertThat(inOrder.isShutdown()).isFalse();
    }

    @Test
    void shutdownWithoutTheViewEndsTheExecutor() {
        try (WheelScheduledExecutor given = WheelScheduledExecutor.builder().build()) {
            Scheduler wheel = Schedulers.fromExecutorService(given);
            wheel.dispose();
            assertThat(given.isShutdown()).isTrue();
        }
    }

    private static String currentThread() {
        return Thread.currentThread().getName();
    }

    private static final class Service {

        Mono<String> price() {
            return Mono.never();
        }
    }
}
