package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How a series ends: by a failure, or by cancelling it before, between, during or from inside its runs. */
abstract class PeriodicEndContract extends ContractFixture {

    PeriodicEndContract(Subject subject) {
        super(subject);
    }

    @ParameterizedTest
    @EnumSource
    void exceptionEndsTheSeriesAndReachesTheFuture(Repetition repetition) throws InterruptedException {
        IllegalStateException failure = new IllegalStateException("on purpose");

        assertFailureEnds(repetition, failure, () -> {
            throw failure;
        });
    }

    @ParameterizedTest
    @EnumSource
    void errorEndsTheSeriesAndReachesTheFuture(Repetition repetition) throws InterruptedException {
        LinkageError failure = new LinkageError("on purpose");

        assertFailureEnds(repetition, failure, () -> {
            throw failure;
        });
    }

    private void assertFailureEnds(Repetition repetition, Throwable failure, Runnable throwing)
            throws InterruptedException {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch fourth = new CountDownLatch(4);
        ScheduledFuture<?> future = repetition.start(executor, () -> {
            fourth.countDown();
            if (runs.incrementAndGet() >= 3) {
                throwing.run();
            }
        });

        awaitFailed(future, failure);

        assertStaysUntouched(fourth);
        assertThat(runs).hasValue(3);
        assertThat(future.cancel(true)).isFalse();
        awaitFailed(future, failure);
    }

    @ParameterizedTest
    @EnumSource
    void failureWakesWhoWaitsForTheSeries(Repetition repetition) throws Exception {
        HeldTask held = heldTask();
        IllegalStateException failure = new IllegalStateException("on purpose");
        ScheduledFuture<?> future = repetition.start(executor, () -> {
            held.run();
            throw failure;
        });
        Caller<?> waiter = Caller.call(future::get).awaitBlocked();

        held.release();

        assertThat(waiter.failure())
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isSameAs(failure);
    }

    @ParameterizedTest
    @EnumSource
    void endOfOneSeriesHarmsNoOther(Repetition repetition) {
        ScheduledExecutorService single = newSingleWorker();
        AtomicInteger runs = new AtomicInteger();
        ScheduledFuture<?> surviving = repetition.start(single, runs::incrementAndGet);
        IllegalStateException failure = new IllegalStateException("on purpose");
        ScheduledFuture<?> failing = repetition.start(single, () -> {
            throw failure;
        });
        ScheduledFuture<?> cancelled = repetition.start(single, () -> {});
        assertThat(cancelled.cancel(true)).isTrue();
        awaitFailed(failing, failure);

        int seen = runs.get();
        eventually(() -> runs.get() >= seen + 3);

        assertPending(surviving);
    }

    @ParameterizedTest
    @EnumSource
    void seriesCancelledBeforeItsFirstRunNeverRuns(Repetition repetition) throws InterruptedException {
        for (long delayMillis : new long[] {40, HOURS.toMillis(1)}) {
            CountDownLatch ran = new CountDownLatch(1);
            long before = System.nanoTime();
            ScheduledFuture<?> future = repetition.start(executor, ran::countDown, delayMillis, 1, MILLISECONDS);

            assertThat(future.cancel(true)).isTrue();

            assertCancelled(future);
            // A machine that stalls for the whole delay lets the series begin first.
            if (System.nanoTime() - before < MILLISECONDS.toNanos(delayMillis)) {
                assertThat(result(executor.schedule(() -> "later", 50, MILLISECONDS)))
                        .isEqualTo("later");
                assertStaysUntouched(ran);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void seriesCancelledBetweenTwoRunsIsGone(Repetition repetition) {
        ScheduledExecutorService single = newSingleWorker();
        CountDownLatch ran = new CountDownLatch(1);
        ScheduledFuture<?> future = repetition.start(single, ran::countDown, 0, 1, HOURS);
        await(ran);
        // The JDK's executor keeps what is cancelled between the end of the run and its return to the queue.
        awaitEndOfRuns(single);
        assertThat(future.getDelay(MILLISECONDS)).isPositive();

        assertThat(future.cancel(true)).isTrue();

        assertCancelled(future);
        assertThat(single.shutdownNow()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void cancellingASeriesTwiceTellsThatTheSecondDidNothing(Repetition repetition) {
        ScheduledFuture<?> future = repetition.start(executor, () -> {});

        assertThat(future.cancel(false)).isTrue();
        assertThat(future.cancel(false)).isFalse();
        assertThat(future.cancel(true)).isFalse();

        assertCancelled(future);
    }

    @ParameterizedTest
    @EnumSource
    void cancelWithoutInterruptLetsTheRunEndAsTheLast(Repetition repetition) throws InterruptedException {
        HeldTask held = heldTask();
        ScheduledFuture<?> future = repetition.start(executor, held::run);
        await(held.begun);

        assertThat(future.cancel(false)).isTrue();

        assertCancelled(future);
        assertStaysUntouched(held.ended);
        held.release();
        await(held.ended);
        assertThat(held.wasInterrupted()).isFalse();
        assertThat(result(executor.schedule(() -> "later", 30, MILLISECONDS))).isEqualTo("later");
        assertThat(held.runs).hasValue(1);
        assertCancelled(future);
    }

    @ParameterizedTest
    @EnumSource
    void seriesCancelledDuringItsRunIsNotArmedAgain(Repetition repetition) {
        for (boolean mayInterrupt : new boolean[] {false, true}) {
            ScheduledExecutorService single = newSingleWorker();
            HeldTask held = heldTask();
            ScheduledFuture<?> future = repetition.start(single, held::run, 0, 1, HOURS);
            await(held.begun);

            assertThat(future.cancel(mayInterrupt)).isTrue();

            held.release();
            assertThat(result(single.submit(() -> "next"))).isEqualTo("next");
            assertThat(single.shutdownNow()).as("still waiting").isEmpty();
            assertCancelled(future);
        }
    }

    @ParameterizedTest
    @EnumSource
    void cancelWithInterruptInterruptsTheRunAndItIsTheLast(Repetition repetition) {
        HeldTask held = heldTask();
        ScheduledFuture<?> future = repetition.start(executor, held::run);
        await(held.begun);

        assertThat(future.cancel(true)).isTrue();

        await(held.ended);
        assertThat(held.wasInterrupted()).isTrue();
        assertThat(result(executor.schedule(() -> "later", 30, MILLISECONDS))).isEqualTo("later");
        assertThat(held.runs).hasValue(1);
        assertCancelled(future);
    }

    @ParameterizedTest
    @EnumSource
    void seriesMayCancelItself(Repetition repetition) {
        for (boolean mayInterrupt : new boolean[] {false, true}) {
            ScheduledExecutorService single = newSingleWorker();
            CompletableFuture<Future<?>> self = new CompletableFuture<>();
            CompletableFuture<String> seen = new CompletableFuture<>();
            AtomicInteger runs = new AtomicInteger();
            ScheduledFuture<?> future = repetition.start(single, () -> {
                if (runs.incrementAndGet() == 3) {
                    boolean cancelled = self.join().cancel(mayInterrupt);
                    seen.complete(cancelled + " " + Thread.currentThread().isInterrupted());
                }
            });
            self.complete(future);

            assertThat(result(seen)).isEqualTo("true " + mayInterrupt);
            awaitCancelled(future);
            assertThat(result(single.schedule(() -> Thread.currentThread().isInterrupted(), 20, MILLISECONDS)))
                    .isFalse();
            assertThat(runs).hasValue(3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void runThatFailsAfterItsCancellationStaysCancelled(Repetition repetition) {
        HeldTask held = heldTask();
        ScheduledFuture<?> future = repetition.start(executor, () -> {
            held.run();
            throw new IllegalStateException("on purpose");
        });
        await(held.begun);

        assertThat(future.cancel(true)).isTrue();

        await(held.ended);
        assertThat(result(executor.schedule(() -> "later", 20, MILLISECONDS))).isEqualTo("later");
        assertCancelled(future);
    }

    /** Cancels at every moment of a short period, also between a run and the arming of the next. */
    @ParameterizedTest
    @EnumSource
    void nothingRunsAfterACancelAtAnyMoment(Repetition repetition) {
        ScheduledExecutorService single = newSingleWorker();
        AtomicIntegerArray runs = new AtomicIntegerArray(200);
        List<Integer> runsWhenCancelled = new ArrayList<>();
        List<ScheduledFuture<?>> futures = new ArrayList<>();
        race(runs.length(), round -> {
            ScheduledFuture<?> future =
                    repetition.start(single, () -> runs.incrementAndGet(round), 0, 50, MICROSECONDS);
            futures.add(future);
            eventually(() -> runs.get(round) > round % 3);
            for (int spin = 0; spin < round * 10; spin++) {
                Thread.onSpinWait();
            }

            assertThat(future.cancel(false)).isTrue();

            // The one worker ends a run that was under way before it takes this task.
            assertThat(result(single.submit(() -> "barrier"))).isEqualTo("barrier");
            runsWhenCancelled.add(runs.get(round));
        });

        assertThat(result(single.schedule(() -> "later", 30, MILLISECONDS))).isEqualTo("later");
        for (int i = 0; i < runsWhenCancelled.size(); i++) {
            assertThat(runs.get(i)).as("runs of series %d", i).isEqualTo(runsWhenCancelled.get(i));
        }
        futures.forEach(ContractFixture::assertCancelled);
    }
}
