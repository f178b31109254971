package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What fixed rate and fixed delay have in common while the series goes on. */
abstract class PeriodicContract extends ContractFixture {

    PeriodicContract(Subject subject) {
        super(subject);
    }

    @ParameterizedTest
    @EnumSource
    void firstRunDoesNotComeBeforeTheInitialDelay(Repetition repetition) {
        for (long initialMillis : new long[] {1, 10, 25, 40}) {
            CompletableFuture<Long> started = new CompletableFuture<>();
            long before = System.nanoTime();

            ScheduledFuture<?> future = repetition.start(
                    executor, () -> started.complete(System.nanoTime()), initialMillis, 1, MILLISECONDS);

            assertThat(result(started) - before).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(initialMillis));
            assertPending(future);
        }
    }

    @ParameterizedTest
    @EnumSource
    void initialDelayThatIsNotPositiveMeansAtOnce(Repetition repetition) {
        for (long initial : new long[] {0, -1, Long.MIN_VALUE}) {
            for (TimeUnit unit : TimeUnit.values()) {
                CountDownLatch ran = new CountDownLatch(1);

                ScheduledFuture<?> future = repetition.start(executor, ran::countDown, initial, Long.MAX_VALUE, unit);

                await(ran);
                assertPending(future);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void runNeverOverlapsAnotherOfTheSameTask(Repetition repetition) {
        AtomicBoolean running = new AtomicBoolean();
        AtomicInteger overlaps = new AtomicInteger();
        CountDownLatch runs = new CountDownLatch(30);

        ScheduledFuture<?> future = repetition.start(
                executor,
                () -> {
                    if (!running.compareAndSet(false, true)) {
                        overlaps.incrementAndGet();
                    }
                    LockSupport.parkNanos(MILLISECONDS.toNanos(2));
                    running.set(false);
                    runs.countDown();
                },
                0,
                100,
                MICROSECONDS);

        await(runs);
        assertPending(future);
        assertThat(overlaps).hasValue(0);
    }

    @ParameterizedTest
    @EnumSource
    void longRunIsWaitedFor(Repetition repetition) throws InterruptedException {
        HeldTask held = heldTask();
        CountDownLatch second = new CountDownLatch(2);
        ScheduledFuture<?> future = repetition.start(executor, () -> {
            second.countDown();
            held.run();
        });
        await(held.begun);

        assertStaysUntouched(second);

        assertPending(future);
        held.release();
        await(second);
    }

    @ParameterizedTest
    @EnumSource
    void getBlocksUntilTheSeriesIsCancelled(Repetition repetition) throws Exception {
        CountDownLatch runs = new CountDownLatch(5);
        ScheduledFuture<?> future = repetition.start(executor, runs::countDown);
        Caller<?> untimed = Caller.call(future::get).awaitBlocked();
        Caller<?> timed = Caller.call(() -> future.get(1, HOURS)).awaitBlocked();

        await(runs);
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> future.get(5, MILLISECONDS));
        assertThat(untimed.isBlocked()).isTrue();
        assertThat(timed.isBlocked()).isTrue();
        assertThat(future.cancel(false)).isTrue();

        assertThat(untimed.failure()).isInstanceOf(CancellationException.class);
        assertThat(timed.failure()).isInstanceOf(CancellationException.class);
        assertCancelled(future);
    }

    /** Plain fields: each run must see what the run before it wrote, on whichever thread that was. */
    @ParameterizedTest
    @EnumSource
    void eachRunSeesWhatTheEarlierOnesWrote(Repetition repetition) {
        AtomicInteger broken = new AtomicInteger();
        CountDownLatch end = new CountDownLatch(1);
        Runnable counting = new Runnable() {
            private int plain;
            private final AtomicInteger exact = new AtomicInteger();

            @Override
            public void run() {
                plain++;
                if (plain != exact.incrementAndGet()) {
                    broken.incrementAndGet();
                }
                if (plain == 300) {
                    end.countDown();
                }
            }
        };

        ScheduledFuture<?> future = repetition.start(executor, counting, 0, 20, MICROSECONDS);

        await(end);
        assertThat(broken).hasValue(0);
        assertPending(future);
    }

    @ParameterizedTest
    @EnumSource
    void interruptThatARunLeavesBehindIsNotSeenByTheNext(Repetition repetition) {
        ScheduledExecutorService single = newSingleWorker();
        AtomicInteger seen = new AtomicInteger();
        CountDownLatch runs = new CountDownLatch(10);

        ScheduledFuture<?> future = repetition.start(single, () -> {
            if (Thread.currentThread().isInterrupted()) {
                seen.incrementAndGet();
            }
            Thread.currentThread().interrupt();
            runs.countDown();
        });

        await(runs);
        assertThat(seen).hasValue(0);
        assertPending(future);
    }

    @ParameterizedTest
    @EnumSource
    void slowSeriesDelaysNoOther(Repetition repetition) {
        HeldTask held = heldTask();
        ScheduledFuture<?> slow = repetition.start(executor, held::run);
        await(held.begun);
        CountDownLatch runs = new CountDownLatch(20);

        ScheduledFuture<?> quick = repetition.start(executor, runs::countDown);

        await(runs);
        assertPending(slow);
        assertPending(quick);
        assertThat(held.runs).hasValue(1);
    }

    @ParameterizedTest
    @EnumSource
    void manySeriesGoOnSideBySide(Repetition repetition) {
        List<CountDownLatch> each = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            CountDownLatch runs = new CountDownLatch(5);
            each.add(runs);
            assertPending(repetition.start(executor, runs::countDown, i % 5, 2 + i % 7, MILLISECONDS));
        }

        each.forEach(ContractFixture::await);
    }

    @ParameterizedTest
    @EnumSource
    void seriesShareOneWorkerFairly(Repetition repetition) {
        ScheduledExecutorService single = newSingleWorker();
        CountDownLatch first = new CountDownLatch(10);
        CountDownLatch second = new CountDownLatch(10);

        assertPending(repetition.start(single, first::countDown));
        assertPending(repetition.start(single, second::countDown));

        await(first);
        await(second);
        assertThat(result(single.schedule(() -> "one-shot", 1, MILLISECONDS))).isEqualTo("one-shot");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NANOSECONDS", "MICROSECONDS", "MILLISECONDS", "SECONDS", "MINUTES", "HOURS", "DAYS"})
    void theLongestPeriodMeansOneRunAndALongWait(TimeUnit unit) throws InterruptedException {
        for (Repetition repetition : Repetition.values()) {
            CountDownLatch first = new CountDownLatch(1);
            CountDownLatch second = new CountDownLatch(2);
            ScheduledFuture<?> future = repetition.start(
                    executor,
                    () -> {
                        first.countDown();
                        second.countDown();
                    },
                    0,
                    Long.MAX_VALUE,
                    unit);

            await(first);
            eventually(() -> future.getDelay(TimeUnit.DAYS) > 100 * 365);

            assertStaysUntouched(second);
            assertPending(future);
            assertThat(result(executor.schedule(() -> "short", 2, MILLISECONDS)))
                    .isEqualTo("short");
        }
    }

    @ParameterizedTest
    @EnumSource
    void longestInitialDelayAndPeriodTogetherNeverRun(Repetition repetition) throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);

        ScheduledFuture<?> future =
                repetition.start(executor, ran::countDown, Long.MAX_VALUE, Long.MAX_VALUE, TimeUnit.DAYS);

        assertThat(result(executor.schedule(() -> "short", 2, MILLISECONDS))).isEqualTo("short");
        assertStaysUntouched(ran);
        assertThat(future.getDelay(TimeUnit.DAYS)).isGreaterThan(100 * 365);
    }

    @Test
    void seriesMayStartAnotherAndScheduleTasks() {
        CompletableFuture<ScheduledFuture<?>> inner = new CompletableFuture<>();
        CountDownLatch innerRuns = new CountDownLatch(3);

        ScheduledFuture<?> outer = executor.scheduleWithFixedDelay(
                () -> inner.complete(executor.scheduleAtFixedRate(innerRuns::countDown, 0, 1, MILLISECONDS)),
                0,
                1,
                SECONDS);

        await(innerRuns);
        assertPending(result(inner));
        assertPending(outer);
    }
}
