package io.github.wheelscheduler;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.testing.Gate;
import io.github.wheelscheduler.testing.LogCapture;
import io.github.wheelscheduler.testing.StopsAfterwards;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A given executor that does not take a due run delays it, and everything behind it, but loses nothing. */
class RefusingExecutorTest {

    @RegisterExtension
    final StopsAfterwards stops = new StopsAfterwards();

    private final LogCapture log = LogCapture.ofPackage(WheelScheduledExecutor.class);
    private final ExecutorService pool = stops.use(Executors.newSingleThreadExecutor());

    @AfterEach
    void closeLog() {
        log.close();
    }

    @Test
    void refusedRunIsOfferedAgainUntilItIsTaken() throws Exception {
        WheelScheduledExecutor executor = executorThatRefuses(offer -> offer < 3);
        assertThat(executor.submit(() -> "ran").get(30, SECONDS)).isEqualTo("ran");
        assertThat(executor.snapshot().totals().refusedHandOvers()).isEqualTo(3);
    }

    @Test
    void streakOfRefusalsIsLoggedOnceDespiteTakenRuns() throws Exception {
        WheelScheduledExecutor executor = executorThatRefuses(offer -> offer % 2 == 0);
        for (int i = 0; i < 20; i++) {
            Object ignored = executor.submit(() -> {}).get(30, SECONDS);
        }
        assertThat(executor.snapshot().totals().refusedHandOvers()).isEqualTo(20);
        assertThat(log.messages()).singleElement().asString().contains("rejected a due run");
    }

    @Test
    void nothingOvertakesWhatWasRefused() {
        WheelScheduledExecutor executor = executorThatRefuses(offer -> offer % 3 == 0);
        List<Integer> order = new CopyOnWriteArrayList<>();
        executor.pause();
        IntStream.range(0, 60).forEach(number -> executor.execute(() -> order.add(number)));
        awaitThat(() -> executor.readyCount() == 60);
        executor.resume();
        awaitThat(() -> order.size() == 60);
        assertThat(order).isSorted();
    }

    @Test
    void pauseGrowsAfterRefusalsDespiteALeftoverInterrupt() {
        List<Long> offers = new CopyOnWriteArrayList<>();
        AtomicBoolean full = new AtomicBoolean();
        WheelScheduledExecutor executor = withExecutor(run -> {
            if (full.get()) {
                offers.add(System.nanoTime());
                throw new RejectedExecutionException("full");
            }
            run.run();
        });
        executor.pause();
        executor.execute(() -> {
            full.set(true);
            Thread.currentThread().interrupt();
        });
        executor.execute(() -> {});
        awaitThat(() -> executor.readyCount() == 2);
        executor.resume();
        awaitThat(() -> offers.size() >= 8);
        // The pauses sum up to 127 ms.
        assertThat(offers.get(7) - offers.get(0)).isGreaterThan(60_000_000);
    }

    @Test
    void runThatEndsLetsTheNextOneBeOfferedAtOnce() throws Exception {
        AtomicBoolean busy = new AtomicBoolean();
        AtomicInteger refusals = new AtomicInteger();
        WheelScheduledExecutor executor = withExecutor(run -> {
            if (!busy.compareAndSet(false, true)) {
                refusals.incrementAndGet();
                throw new RejectedExecutionException("full");
            }
            pool.execute(() -> {
                busy.set(false);
                run.run();
            });
        });
        long waitedNanos = 0;
        for (int i = 0; i < 5; i++) {
            Gate gate = new Gate();
            Future<?> first = executor.submit(() -> {
                busy.set(true);
                gate.run();
                busy.set(false);
            });
            gate.awaitArrivals(1);
            Future<?> next = executor.submit(() -> {});
            // By then the pauses have grown to 100 ms, and one has just begun.
            int before = refusals.get();
            awaitThat(() -> refusals.get() == before + 8);
            long openedNanos = System.nanoTime();
            gate.open();
            Object ignored = next.get(30, SECONDS);
            waitedNanos += System.nanoTime() - openedNanos;
            assertThat(first.isDone()).isTrue();
        }
        assertThat(waitedNanos).isLessThan(300_000_000);
    }

    @Test
    void cancelledRefusedRunDelaysNoTermination() throws Exception {
        WheelScheduledExecutor executor = executorThatRefuses(offer -> true);
        WheelTimer<?> refused = executor.schedule(() -> {}, 0, NANOSECONDS);
        awaitThat(() -> executor.snapshot().totals().refusedHandOvers() > 1);
        assertThat(executor.pendingCount()).isOne();
        assertThat(refused.cancel(false)).isTrue();
        assertThat(executor.pendingCount()).isZero();
        executor.shutdown();
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
    }

    @Test
    void stoppingReturnsWhatWasRefusedAndWhatWaitsBehindIt() throws Exception {
        WheelScheduledExecutor executor = executorThatRefuses(offer -> true);
        WheelTimer<?> refused = executor.schedule(() -> {}, 0, NANOSECONDS);
        awaitThat(() -> executor.snapshot().totals().refusedHandOvers() > 0);
        WheelTimer<?> behind = executor.schedule(() -> {}, 0, NANOSECONDS);
        WheelTimer<?> far = executor.schedule(() -> {}, 1, HOURS);
        awaitThat(() -> executor.readyCount() == 1);
        assertThat(executor.shutdownNow()).containsExactly(refused, behind, far);
        assertThat(executor.awaitTermination(30, SECONDS)).isTrue();
        assertThat(executor.pendingCount()).isZero();
    }

    @Test
    void threadPerRunThatIsNotMadeIsAskedForAgain() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        WheelScheduledExecutor executor = stops.use(WheelScheduledExecutor.builder()
                .threadPerRun(run -> switch (asked.getAndIncrement()) {
                    case 0 -> null;
                    case 1 -> throw new OutOfMemoryError("on purpose");
                    default -> new Thread(run);
                })
                .build());
        assertThat(executor.submit(() -> "ran").get(30, SECONDS)).isEqualTo("ran");
        assertThat(executor.snapshot().totals().refusedHandOvers()).isEqualTo(2);
    }

    private WheelScheduledExecutor executorThatRefuses(IntPredicate refuses) {
        AtomicInteger offers = new AtomicInteger();
        return withExecutor(run -> {
            if (refuses.test(offers.getAndIncrement())) {
                throw new RejectedExecutionException("full");
            }
            pool.execute(run);
        });
    }

    private WheelScheduledExecutor withExecutor(Executor target) {
        return stops.use(WheelScheduledExecutor.builder().executor(target).build());
    }
}
