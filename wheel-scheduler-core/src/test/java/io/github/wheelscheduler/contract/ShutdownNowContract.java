package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A hasty end: running tasks are interrupted, waiting ones are handed back and never run. */
abstract class ShutdownNowContract extends ContractFixture {

    ShutdownNowContract(Subject subject) {
        super(subject);
    }

    @Test
    void unusedExecutorHandsNothingBack() throws InterruptedException {
        assertThat(executor.shutdownNow()).isEmpty();

        assertThat(executor.isShutdown()).isTrue();
        assertTerminates(executor);
    }

    @Test
    void handsBackTheVeryFuturesThatWaitedForTheirDelay() throws InterruptedException {
        List<Object> waiting = List.of(
                executor.schedule(() -> {}, 1, HOURS),
                executor.schedule(() -> "value", 1, HOURS),
                executor.scheduleAtFixedRate(() -> {}, 1, 1, HOURS),
                executor.scheduleWithFixedDelay(() -> {}, 1, 1, HOURS),
                executor.schedule(() -> {}, 1, HOURS),
                executor.schedule(() -> {}, 36_500, TimeUnit.DAYS),
                executor.schedule(() -> "value", Long.MAX_VALUE, NANOSECONDS));

        List<Runnable> never = executor.shutdownNow();

        assertThat(never).hasSameSizeAs(waiting);
        for (Object future : waiting) {
            assertThat(never)
                    .as("handed back once")
                    .filteredOn(each -> each == future)
                    .hasSize(1);
        }
        assertTerminates(executor);
    }

    @Test
    void handsBackWhatWaitedForAWorker() throws InterruptedException {
        ScheduledExecutorService single = newSingleWorker();
        HeldTask held = hold(single);
        CountDownLatch ran = new CountDownLatch(1);
        ScheduledFuture<?> atOnce = single.schedule(ran::countDown, 0, MILLISECONDS);
        ScheduledFuture<?> overdue = single.schedule(ran::countDown, 1, MILLISECONDS);
        ScheduledFuture<?> series = single.scheduleAtFixedRate(ran::countDown, 0, 1, MILLISECONDS);
        single.execute(ran::countDown);
        Future<?> submitted = single.submit(ran::countDown);
        awaitClock(System.nanoTime() + MILLISECONDS.toNanos(20));

        List<Runnable> never = single.shutdownNow();

        assertThat(never).hasSize(5).doesNotHaveDuplicates();
        assertThat(never)
                .filteredOn(each -> each == atOnce || each == overdue || each == series)
                .hasSize(3);
        for (Runnable each : never) {
            assertThat((Object) each).isInstanceOf(ScheduledFuture.class);
            assertThat(((ScheduledFuture<?>) each).getDelay(NANOSECONDS)).isNotPositive();
            assertPending((Future<?>) each);
            assertThat(((Future<?>) each).cancel(false)).isTrue();
        }
        assertCancelled(submitted);
        await(held.ended);
        assertThat(held.wasInterrupted()).isTrue();
        assertTerminates(single);
        assertStaysUntouched(ran);
    }

    @Test
    void handsBackASeriesThatWaitsForItsNextRun() throws InterruptedException {
        for (Repetition repetition : Repetition.values()) {
            ScheduledExecutorService single = newSingleWorker();
            CountDownLatch ran = new CountDownLatch(1);
            ScheduledFuture<?> future = repetition.start(single, ran::countDown, 0, 1, HOURS);
            await(ran);
            // The future tells its next deadline before it waits for it.
            awaitEndOfRuns(single);

            List<Runnable> never = single.shutdownNow();

            assertThat(never).hasSize(1);
            assertThat((Object) never.get(0)).isSameAs(future);
            assertTerminates(single);
        }
    }

    @Test
    void handsBackNeitherRunningNorEndedNorCancelledTasks() throws InterruptedException {
        HeldTask held = hold(executor);
        ScheduledFuture<String> ended = executor.schedule(() -> "ended", 1, MILLISECONDS);
        ScheduledFuture<String> cancelled = executor.schedule(() -> "never", 1, HOURS);
        ScheduledFuture<?> cancelledSeries = executor.scheduleAtFixedRate(() -> {}, 1, 1, HOURS);
        assertThat(result(ended)).isEqualTo("ended");
        assertThat(cancelled.cancel(false)).isTrue();
        assertThat(cancelledSeries.cancel(true)).isTrue();
        ScheduledFuture<String> waiting = executor.schedule(() -> "waiting", 1, HOURS);

        List<Runnable> never = executor.shutdownNow();

        assertThat(never).hasSize(1);
        assertThat((Object) never.get(0)).isSameAs(waiting);
        await(held.ended);
        assertTerminates(executor);
    }

    @Test
    void returnedTaskIsNeitherDoneNorRunAndCanBeCancelled() throws Exception {
        long delay = MILLISECONDS.toNanos(120);
        CountDownLatch ran = new CountDownLatch(1);
        long before = System.nanoTime();
        ScheduledFuture<?> soon = executor.schedule(ran::countDown, delay, NANOSECONDS);
        ScheduledFuture<?> series = executor.scheduleAtFixedRate(ran::countDown, delay, 1, NANOSECONDS);
        long after = System.nanoTime();
        Caller<?> waiter = Caller.call(soon::get).awaitBlocked();

        List<Runnable> never = executor.shutdownNow();

        assumeThat(System.nanoTime() - before).as("in time to be the first").isLessThan(delay);
        assertTerminates(executor);
        assertThat(never).hasSize(2);
        assertPending(soon);
        assertPending(series);
        awaitClock(after + delay);
        assertStaysUntouched(ran);
        assertThat(soon.cancel(false)).isTrue();
        assertThat(series.cancel(true)).isTrue();
        assertCancelled(soon);
        assertCancelled(series);
        assertThat(soon.cancel(false)).isFalse();
        assertThat(waiter.failure()).isInstanceOf(CancellationException.class);
    }

    @Test
    void interruptsEveryRunningTask() throws InterruptedException {
        List<HeldTask> held = new ArrayList<>();
        List<Future<String>> futures = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            HeldTask task = heldTask();
            held.add(task);
            futures.add(i % 2 == 0 ? executor.submit(task::call) : executor.schedule(task::call, 1, MILLISECONDS));
        }
        held.forEach(each -> await(each.begun));

        assertThat(executor.shutdownNow()).isEmpty();

        held.forEach(each -> await(each.ended));
        assertThat(held).allMatch(HeldTask::wasInterrupted);
        futures.forEach(each -> assertThat(result(each)).isEqualTo(HeldTask.RESULT));
        assertTerminates(executor);
    }

    @Test
    void interruptedTaskThatFailsTellsWhy() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Future<String> future = executor.submit(() -> {
            begun.countDown();
            new CountDownLatch(1).await();
            return "never";
        });
        await(begun);

        assertThat(executor.shutdownNow()).isEmpty();

        assertThat(Caller.call(future::get).failure())
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(future.isCancelled()).isFalse();
        assertTerminates(executor);
    }

    @ParameterizedTest
    @EnumSource
    void runningSeriesIsInterruptedAndThenCancelled(Repetition repetition) throws InterruptedException {
        HeldTask held = heldTask();
        ScheduledFuture<?> future = repetition.start(executor, held::run);
        await(held.begun);

        assertThat(executor.shutdownNow()).isEmpty();

        await(held.ended);
        assertTerminates(executor);
        assertThat(held.wasInterrupted()).isTrue();
        assertThat(held.runs).hasValue(1);
        awaitCancelled(future);
    }

    @Test
    void doesNotWaitForATaskThatIgnoresTheInterrupt() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        HeldTask held = heldTask();
        executor.execute(() -> {
            begun.countDown();
            while (!Thread.interrupted()) {
                LockSupport.parkNanos(MILLISECONDS.toNanos(1));
            }
            interrupted.countDown();
            held.run();
        });
        await(begun);

        assertThat(executor.shutdownNow()).isEmpty();

        await(interrupted);
        assertThat(executor.isShutdown()).isTrue();
        assertThat(executor.awaitTermination(20, MILLISECONDS)).isFalse();
        assertThat(executor.isTerminated()).isFalse();
        held.release();
        assertTerminates(executor);
    }

    @Test
    void askingAgainHandsNothingBack() throws InterruptedException {
        ScheduledFuture<String> waiting = executor.schedule(() -> "waiting", 1, HOURS);

        assertThat(executor.shutdownNow()).hasSize(1);
        assertThat(executor.shutdownNow()).isEmpty();
        executor.shutdown();
        assertThat(executor.shutdownNow()).isEmpty();

        assertPending(waiting);
        assertTerminates(executor);
    }

    @Test
    void shutdownNowAfterShutdownReturnsWaitingTasks() throws InterruptedException {
        HeldTask held = hold(executor);
        ScheduledFuture<String> waiting = executor.schedule(() -> "waiting", 1, HOURS);
        executor.shutdown();
        assertThat(executor.isTerminated()).isFalse();

        List<Runnable> never = executor.shutdownNow();

        assertThat(never).hasSize(1);
        assertThat((Object) never.get(0)).isSameAs(waiting);
        await(held.ended);
        assertThat(held.wasInterrupted()).isTrue();
        assertTerminates(executor);
    }

    @Test
    void endsASeriesThatGoesOnAfterShutdown() throws InterruptedException {
        subject.setContinueExistingPeriodicTasksAfterShutdownPolicy(executor, true);
        ScheduledFuture<?> series = executor.scheduleAtFixedRate(() -> {}, 0, 2, MILLISECONDS);
        executor.shutdown();
        assertThat(executor.awaitTermination(20, MILLISECONDS)).isFalse();

        List<Runnable> never = executor.shutdownNow();

        assertTerminates(executor);
        // It was either waiting, and is handed back, or running, and is cancelled.
        assertThat(never.size() == 1 ? series.cancel(false) : series.isCancelled())
                .isTrue();
        assertCancelled(series);
    }

    @Test
    void taskMayEndItsOwnExecutor() throws InterruptedException {
        ScheduledFuture<String> waiting = executor.schedule(() -> "waiting", 1, HOURS);
        HeldTask other = hold(executor);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();

        Future<List<Runnable>> future = executor.submit(() -> {
            List<Runnable> never = executor.shutdownNow();
            interrupted.complete(Thread.interrupted());
            return never;
        });

        List<Runnable> never = result(future);
        assertThat(never).hasSize(1);
        assertThat((Object) never.get(0)).isSameAs(waiting);
        assertThat(result(interrupted))
                .as("the task itself is one of the running")
                .isTrue();
        await(other.ended);
        assertThat(other.wasInterrupted()).isTrue();
        assertTerminates(executor);
    }

    @Test
    void seriesMayEndItsOwnExecutor() throws InterruptedException {
        CountDownLatch second = new CountDownLatch(2);
        ScheduledFuture<?> future = executor.scheduleAtFixedRate(
                () -> {
                    second.countDown();
                    assertThat(executor.shutdownNow()).isEmpty();
                },
                0,
                1,
                MILLISECONDS);

        eventually(executor::isTerminated);
        awaitCancelled(future);
        assertStaysUntouched(second);
    }
}
