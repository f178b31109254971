package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.core.task.AsyncTaskExecutor;

/** Tasks without a time: {@code execute}, {@code submit} and {@code submitCompletable}. */
abstract class SubmissionContract extends SchedulerFixture {

    SubmissionContract(SchedulerFactory factory) {
        super(factory);
    }

    @Test
    void executeRunsTheTaskOnceAndNotOnTheCallersThread() {
        var scheduler = started();
        var threads = new CompletableFuture<Thread>();
        var runs = new AtomicInteger();

        scheduler.execute(() -> {
            runs.incrementAndGet();
            threads.complete(Thread.currentThread());
        });

        assertThat(threads).succeedsWithin(PATIENCE).isNotSameAs(Thread.currentThread());
        staysTrue(() -> runs.get() == 1);
    }

    @Test
    @SuppressWarnings("deprecation")
    void executeIgnoresTheStartTimeout() {
        var scheduler = started();
        var immediate = new RecordingTask();
        var indefinite = new RecordingTask();

        scheduler.execute(immediate, AsyncTaskExecutor.TIMEOUT_IMMEDIATE);
        scheduler.execute(indefinite, AsyncTaskExecutor.TIMEOUT_INDEFINITE);

        immediate.awaitRuns(1);
        indefinite.awaitRuns(1);
    }

    @Test
    void futureOfARunnableYieldsNullOnceTheTaskHasEnded() {
        var scheduler = started();
        var held = new HeldTask();

        Future<?> future = scheduler.submit(held);
        held.awaitStart();

        assertThat(future.isDone()).isFalse();
        assertThatThrownBy(() -> future.get(20, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        held.release();
        assertYieldsNull(future);
        assertThat(held.hasEnded()).isTrue();
    }

    @Test
    void futureOfARunnableCarriesItsException() {
        var failure = new IllegalStateException("runnable fails");

        Future<?> future = started().submit(() -> {
            throw failure;
        });

        assertFailsWith(future, failure);
    }

    @Test
    void futureOfACallableCarriesItsCheckedExceptionAsItIs() {
        var failure = new IOException("callable fails");

        Future<String> future = started().submit(() -> {
            throw failure;
        });

        assertFailsWith(future, failure);
    }

    @Test
    void errorReachesTheFutureToo() {
        var scheduler = started();
        var failure = new LinkageError("error instead of exception");

        assertFailsWith(
                scheduler.submit((Runnable) () -> {
                    throw failure;
                }),
                failure);
        assertFailsWith(
                scheduler.submit(() -> {
                    throw failure;
                }),
                failure);
    }

    @Test
    void completableFutureOfARunnableEndsAfterTheRun() {
        var scheduler = started();
        var held = new HeldTask();

        CompletableFuture<Boolean> future = scheduler.submitCompletable(held).thenApply(nothing -> held.hasEnded());
        held.awaitStart();

        assertThat(future).isNotDone();
        held.release();
        assertThat(future).succeedsWithin(PATIENCE).isEqualTo(true);
    }

    @Test
    void completableFutureOfACallableYieldsItsResult() {
        CompletableFuture<Thread> future = started().submitCompletable(Thread::currentThread);

        assertThat(future).succeedsWithin(PATIENCE).isNotSameAs(Thread.currentThread());
    }

    @Test
    void completableFutureCarriesTheException() {
        var scheduler = started();
        var unchecked = new IllegalStateException("runnable fails");
        var checked = new IOException("callable fails");

        assertFailsWith(
                scheduler.submitCompletable((Runnable) () -> {
                    throw unchecked;
                }),
                unchecked);
        assertFailsWith(
                scheduler.submitCompletable(() -> {
                    throw checked;
                }),
                checked);
    }

    @Test
    void eightTasksRunAtOnce() {
        var scheduler = started();
        var allHere = new CountDownLatch(8);
        var met = new AtomicInteger();

        for (int i = 0; i < 8; i++) {
            scheduler.execute(() -> {
                allHere.countDown();
                try {
                    if (allHere.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                        met.incrementAndGet();
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }

        await().until(() -> met.get() == 8);
    }

    @Test
    void shortTasksArePreferred() {
        assertThat(started().prefersShortLivedTasks()).isTrue();
    }
}
