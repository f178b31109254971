package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.wheelscheduler.testing.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeoutException;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** What the parts of the contract share: executors that end with the test, held tasks, ways to wait and to look. */
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
abstract class ContractFixture {

    /** How long a test waits for what must happen; only a failing test waits that long. */
    static final Duration PATIENCE = Patience.PATIENCE;

    /** How long a race is repeated at most; a machine that takes longer for a round gets fewer of them. */
    static final Duration RACING = Duration.ofSeconds(2);

    final Subject subject;
    final ScheduledExecutorService executor;
    private final ConcurrentLinkedQueue<ScheduledExecutorService> executors = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<HeldTask> heldTasks = new ConcurrentLinkedQueue<>();

    ContractFixture(Subject subject) {
        this.subject = subject;
        this.executor = subject.create();
        executors.add(executor);
    }

    @AfterEach
    @Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
    void everyExecutorEnds() throws InterruptedException {
        heldTasks.forEach(HeldTask::release);
        executors.forEach(ScheduledExecutorService::shutdownNow);
        for (ScheduledExecutorService each : executors) {
            assertThat(each.awaitTermination(PATIENCE.toSeconds(), SECONDS))
                    .as("executor ended after the test")
                    .isTrue();
        }
    }

    ScheduledExecutorService newExecutor() {
        ScheduledExecutorService created = subject.create();
        executors.add(created);
        return created;
    }

    /** Returns an executor that runs one task at a time; where there is none the test is skipped. */
    ScheduledExecutorService newSingleWorker() {
        Optional<ScheduledExecutorService> single = subject.createWithOneWorker();
        assumeThat(single).as("an executor with one worker").isPresent();
        executors.add(single.orElseThrow());
        return single.orElseThrow();
    }

    /** Returns an executor all threads of which the factory makes; where there is none the test is skipped. */
    ScheduledExecutorService newExecutorWithThreadsOf(ThreadFactory factory) {
        Optional<ScheduledExecutorService> created = subject.createWithThreadsOf(factory);
        assumeThat(created).as("an executor with all threads of a factory").isPresent();
        executors.add(created.orElseThrow());
        return created.orElseThrow();
    }

    HeldTask heldTask() {
        HeldTask held = new HeldTask();
        heldTasks.add(held);
        return held;
    }

    /** Occupies one worker until the task is released, and returns once it runs. */
    HeldTask hold(ScheduledExecutorService on) {
        HeldTask held = heldTask();
        on.execute(held::run);
        await(held.begun);
        return held;
    }

    static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE.toSeconds(), SECONDS))
                    .as("happened in time")
                    .isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while waiting", e);
        }
    }

    static void eventually(Callable<Boolean> condition) {
        Patience.awaitThat(condition);
    }

    /** Waits until the clock has passed the reading, for tests that need a deadline to be over. */
    static void awaitClock(long nanoTime) {
        eventually(() -> System.nanoTime() - nanoTime > 0);
    }

    /** Looks for a while whether something happens that must not; long enough to see any run that is due at once. */
    static void assertStaysUntouched(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(30, MILLISECONDS))
                .as("happened though it must not")
                .isFalse();
    }

    static <V extends @Nullable Object> V result(Future<V> future) {
        try {
            return future.get(PATIENCE.toSeconds(), SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("expected a result", e);
        }
    }

    /**
     * Waits until the one worker is through with all that it has begun, the arming of the next run of a series
     * included.
     */
    static void awaitEndOfRuns(ScheduledExecutorService single) {
        assertThat(result(single.submit(() -> "next"))).isEqualTo("next");
    }

    static void awaitDone(Future<?> future) {
        eventually(future::isDone);
    }

    static void assertPending(Future<?> future) {
        assertThat(future.isDone()).as("done").isFalse();
        assertThat(future.isCancelled()).as("cancelled").isFalse();
    }

    static void assertCancelled(Future<?> future) {
        assertThat(future.isCancelled()).as("cancelled").isTrue();
        assertThat(future.isDone()).as("done").isTrue();
        assertThatExceptionOfType(CancellationException.class).isThrownBy(future::get);
        assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> future.get(1, SECONDS));
    }

    static void awaitCancelled(Future<?> future) {
        awaitDone(future);
        assertCancelled(future);
    }

    static void awaitFailed(Future<?> future, Throwable cause) {
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> future.get(PATIENCE.toSeconds(), SECONDS))
                .satisfies(e -> assertThat(e.getCause()).isSameAs(cause));
        assertThat(future.isDone()).as("done").isTrue();
        assertThat(future.isCancelled()).as("cancelled").isFalse();
    }

    static void assertTerminates(ScheduledExecutorService on) throws InterruptedException {
        assertThat(on.awaitTermination(PATIENCE.toSeconds(), SECONDS))
                .as("terminated in time")
                .isTrue();
        assertThat(on.isShutdown()).isTrue();
        assertThat(on.isTerminated()).isTrue();
    }

    /** Repeats a race, each time with the number of the round. */
    static void race(int rounds, IntConsumer round) {
        long begun = System.nanoTime();
        for (int i = 0; i < rounds && System.nanoTime() - begun < RACING.toNanos(); i++) {
            round.accept(i);
        }
    }

    /** Runs the body on so many threads that start together, with the number of each, and waits for all of them. */
    static void together(int threads, IntConsumer body) {
        CyclicBarrier start = new CyclicBarrier(threads);
        List<Caller<Boolean>> callers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            callers.add(Caller.call(() -> {
                start.await(PATIENCE.toSeconds(), SECONDS);
                body.accept(number);
                return true;
            }));
        }
        callers.forEach(Caller::result);
    }
}
