package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.Test;

/** An orderly end: what {@code shutdown} lets run, and what {@code awaitTermination} tells. */
abstract class ShutdownContract extends ContractFixture {

    ShutdownContract(Subject subject) {
        super(subject);
    }

    @Test
    void isNeitherShutDownNorTerminatedBeforeItIsAsked() throws InterruptedException {
        assertThat(executor.isShutdown()).isFalse();
        assertThat(executor.isTerminated()).isFalse();
        assertThat(result(executor.submit(() -> "value"))).isEqualTo("value");
        assertThat(executor.isShutdown()).isFalse();
        assertThat(executor.isTerminated()).isFalse();
        assertThat(executor.awaitTermination(20, MILLISECONDS)).isFalse();
    }

    @Test
    void unusedExecutorTerminates() throws InterruptedException {
        executor.shutdown();

        assertThat(executor.isShutdown()).isTrue();
        assertTerminates(executor);
    }

    @Test
    void neitherWaitsForARunningTaskNorDisturbsIt() throws InterruptedException {
        HeldTask held = heldTask();
        Future<String> future = executor.submit(held::call);
        await(held.begun);

        executor.shutdown();

        assertThat(executor.isShutdown()).isTrue();
        assertThat(executor.isTerminated()).isFalse();
        assertStaysUntouched(held.ended);
        assertPending(future);
        held.release();
        assertThat(result(future)).isEqualTo(HeldTask.RESULT);
        assertThat(held.wasInterrupted()).isFalse();
        assertTerminates(executor);
    }

    @Test
    void terminationMeansThatEveryRunHasEnded() throws InterruptedException {
        List<HeldTask> held = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            held.add(hold(executor));
        }
        executor.shutdown();

        for (HeldTask each : held) {
            assertThat(executor.awaitTermination(1, MILLISECONDS)).isFalse();
            assertThat(executor.isTerminated()).isFalse();
            each.release();
        }

        assertTerminates(executor);
        assertThat(held).allMatch(each -> each.ended.getCount() == 0);
    }

    @Test
    void waitingTasksRunBeforeItTerminates() throws InterruptedException {
        ScheduledExecutorService single = newSingleWorker();
        HeldTask held = hold(single);
        List<Future<Integer>> waiting = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            int number = i;
            waiting.add(i % 2 == 0 ? single.submit(() -> number) : single.schedule(() -> number, i, MILLISECONDS));
        }

        single.shutdown();
        held.release();

        assertTerminates(single);
        assertThat(waiting).allMatch(Future::isDone).noneMatch(Future::isCancelled);
        for (int i = 0; i < 20; i++) {
            assertThat(result(waiting.get(i))).isEqualTo(i);
        }
    }

    @Test
    void askingAgainChangesNothing() throws InterruptedException {
        HeldTask held = heldTask();
        Future<String> running = executor.submit(held::call);
        ScheduledFuture<String> delayed = executor.schedule(() -> "delayed", 30, MILLISECONDS);
        await(held.begun);

        executor.shutdown();
        executor.shutdown();
        executor.shutdown();

        held.release();
        assertThat(result(running)).isEqualTo(HeldTask.RESULT);
        assertThat(result(delayed)).isEqualTo("delayed");
        assertTerminates(executor);
        executor.shutdown();
        assertTerminates(executor);
        assertThat(executor.shutdownNow()).isEmpty();
        assertTerminates(executor);
    }

    @Test
    void awaitTerminationGivesUpNoSoonerThanItsTimeout() throws InterruptedException {
        HeldTask held = hold(executor);
        executor.shutdown();

        long before = System.nanoTime();
        assertThat(executor.awaitTermination(30, MILLISECONDS)).isFalse();

        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(30));
        held.release();
        assertTerminates(executor);
    }

    @Test
    void awaitTerminationWithoutATimeoutJustTells() throws InterruptedException {
        HeldTask held = hold(executor);
        executor.shutdown();

        for (long timeout : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThat(executor.awaitTermination(timeout, DAYS)).isFalse();
        }
        held.release();
        assertTerminates(executor);
        for (long timeout : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThat(executor.awaitTermination(timeout, DAYS)).isTrue();
        }
    }

    @Test
    void everyoneWhoAwaitsTerminationIsWoken() {
        HeldTask held = hold(executor);
        List<Caller<Boolean>> waiters = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiters.add(Caller.call(() -> executor.awaitTermination(1, HOURS)));
            waiters.add(Caller.call(() -> executor.awaitTermination(Long.MAX_VALUE, NANOSECONDS)));
            waiters.add(Caller.call(() -> executor.awaitTermination(Long.MAX_VALUE, DAYS)));
        }
        waiters.forEach(Caller::awaitBlocked);

        executor.shutdown();
        assertThat(waiters).allMatch(Caller::isBlocked);
        held.release();

        assertThat(waiters.stream().map(Caller::result)).containsOnly(true);
    }

    @Test
    void interruptEndsAwaitTerminationAndChangesNothing() throws Exception {
        HeldTask held = hold(executor);
        executor.shutdown();
        Caller<Boolean> waiter =
                Caller.call(() -> executor.awaitTermination(1, HOURS)).awaitBlocked();

        waiter.interrupt();

        assertThat(waiter.failure()).isInstanceOf(InterruptedException.class);
        assertThat(waiter.endedInterrupted()).isFalse();
        assertThat(executor.isTerminated()).isFalse();
        assertThat(held.ended.getCount()).isEqualTo(1);
        held.release();
        assertTerminates(executor);
        assertThat(held.wasInterrupted()).isFalse();
    }

    @Test
    void interruptedThreadDoesNotAwaitTermination() throws Exception {
        hold(executor);
        executor.shutdown();

        assertThat(Caller.callInterrupted(() -> executor.awaitTermination(1, HOURS))
                        .failure())
                .isInstanceOf(InterruptedException.class);
    }

    @Test
    void taskMayShutItsOwnExecutorDown() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        ScheduledFuture<String> delayed = executor.schedule(() -> "delayed", 40, MILLISECONDS);
        ScheduledFuture<?> series = executor.scheduleAtFixedRate(() -> {}, 1, 1, HOURS);
        Future<String> future = executor.submit(() -> {
            await(go);
            executor.shutdown();
            boolean terminated = executor.awaitTermination(5, MILLISECONDS);
            String rejection = "accepted";
            try {
                executor.execute(() -> {});
            } catch (RejectedExecutionException e) {
                rejection = "rejected";
            }
            return rejection + " " + executor.isShutdown() + " " + terminated + " "
                    + Thread.currentThread().isInterrupted();
        });

        go.countDown();

        assertThat(result(future)).isEqualTo("rejected true false false");
        assertThat(result(delayed)).isEqualTo("delayed");
        awaitCancelled(series);
        assertTerminates(executor);
    }

    @Test
    void seriesThatShutsItsExecutorDownRunsNoMore() throws InterruptedException {
        CountDownLatch second = new CountDownLatch(2);
        CompletableFuture<Boolean> shutDown = new CompletableFuture<>();
        ScheduledFuture<?> future = executor.scheduleWithFixedDelay(
                () -> {
                    second.countDown();
                    executor.shutdown();
                    shutDown.complete(executor.isShutdown());
                },
                0,
                1,
                MILLISECONDS);

        assertThat(result(shutDown)).isTrue();
        assertTerminates(executor);
        awaitCancelled(future);
        assertStaysUntouched(second);
    }

    @Test
    void failureAfterShutdownDoesNotKeepItFromTerminating() throws InterruptedException {
        HeldTask held = heldTask();
        executor.execute(() -> {
            held.run();
            throw new LinkageError("on purpose");
        });
        await(held.begun);
        ScheduledFuture<String> delayed = executor.schedule(() -> "delayed", 20, MILLISECONDS);

        executor.shutdown();
        held.release();

        assertThat(result(delayed)).isEqualTo("delayed");
        assertTerminates(executor);
    }
}
