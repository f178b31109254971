package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code invokeAll}: runs everything, waits for everything, and cancels what it no longer waits for. */
abstract class InvokeAllContract extends ContractFixture {

    InvokeAllContract(Subject subject) {
        super(subject);
    }

    /** The two forms of the method, for what both have in common. */
    enum Form {
        UNTIMED {
            @Override
            <T> List<Future<T>> invoke(ScheduledExecutorService on, Collection<? extends Callable<T>> tasks)
                    throws InterruptedException {
                return on.invokeAll(tasks);
            }
        },
        TIMED {
            @Override
            <T> List<Future<T>> invoke(ScheduledExecutorService on, Collection<? extends Callable<T>> tasks)
                    throws InterruptedException {
                return on.invokeAll(tasks, 1, HOURS);
            }
        },
        WITH_THE_LONGEST_TIMEOUT {
            @Override
            <T> List<Future<T>> invoke(ScheduledExecutorService on, Collection<? extends Callable<T>> tasks)
                    throws InterruptedException {
                return on.invokeAll(tasks, Long.MAX_VALUE, DAYS);
            }
        };

        abstract <T> List<Future<T>> invoke(ScheduledExecutorService on, Collection<? extends Callable<T>> tasks)
                throws InterruptedException;
    }

    @ParameterizedTest
    @EnumSource
    void returnsAnEndedFutureForEachTaskInTheirOrder(Form form) throws InterruptedException {
        Collection<Callable<Integer>> tasks = new LinkedHashSet<>();
        for (int i = 0; i < 100; i++) {
            int number = i;
            tasks.add(() -> number);
        }

        List<Future<Integer>> futures = form.invoke(executor, tasks);

        assertThat(futures).hasSize(100).allMatch(Future::isDone);
        for (int i = 0; i < 100; i++) {
            assertThat(result(futures.get(i))).isEqualTo(i);
        }
    }

    @ParameterizedTest
    @EnumSource
    void invokeAllOfNoTasksReturnsNoFutures(Form form) throws InterruptedException {
        assertThat(form.<String>invoke(executor, List.of())).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void failingTaskCountsAsEndedAndHarmsNoOther(Form form) throws InterruptedException {
        IOException checked = new IOException("on purpose");
        LinkageError error = new LinkageError("on purpose");

        List<Future<String>> futures = form.invoke(
                executor,
                List.of(
                        () -> {
                            throw checked;
                        },
                        () -> "first",
                        () -> {
                            throw error;
                        },
                        () -> "last"));

        assertThat(futures).allMatch(Future::isDone);
        awaitFailed(futures.get(0), checked);
        assertThat(result(futures.get(1))).isEqualTo("first");
        awaitFailed(futures.get(2), error);
        assertThat(result(futures.get(3))).isEqualTo("last");
    }

    @ParameterizedTest
    @EnumSource
    void runsTheTasksSideBySide(Form form) throws InterruptedException {
        CyclicBarrier allRun = new CyclicBarrier(8);
        List<Callable<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            tasks.add(() -> allRun.await(PATIENCE.toSeconds(), SECONDS));
        }

        assertThat(form.invoke(executor, tasks).stream().map(ContractFixture::result))
                .containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
    }

    @ParameterizedTest
    @EnumSource
    void waitsForTheSlowestTask(Form form) {
        HeldTask held = heldTask();
        Caller<List<Future<String>>> caller =
                Caller.call(() -> form.invoke(executor, List.of(() -> "quick", held::call, () -> "quick")));
        await(held.begun);
        assertThat(caller.awaitBlocked().isBlocked()).isTrue();

        held.release();

        List<Future<String>> futures = caller.result();
        assertThat(futures).allMatch(Future::isDone).noneMatch(Future::isCancelled);
        assertThat(result(futures.get(1))).isEqualTo(HeldTask.RESULT);
    }

    @ParameterizedTest
    @EnumSource
    void interruptOfTheCallerCancelsWhatHasNotEnded(Form form) throws Exception {
        HeldTask first = heldTask();
        HeldTask second = heldTask();
        Caller<List<Future<String>>> caller =
                Caller.call(() -> form.invoke(executor, List.of(first::call, () -> "quick", second::call)));
        await(first.begun);
        await(second.begun);
        caller.awaitBlocked();

        caller.interrupt();

        assertThat(caller.failure()).isInstanceOf(InterruptedException.class);
        await(first.ended);
        await(second.ended);
        assertThat(first.wasInterrupted()).isTrue();
        assertThat(second.wasInterrupted()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void interruptOfTheCallerKeepsWaitingTasksFromRunning(Form form) throws Exception {
        ScheduledExecutorService single = newSingleWorker();
        HeldTask held = hold(single);
        AtomicInteger runs = new AtomicInteger();
        Caller<List<Future<Integer>>> caller =
                Caller.call(() -> form.invoke(single, List.of(runs::incrementAndGet, runs::incrementAndGet)));
        caller.awaitBlocked();

        caller.interrupt();

        assertThat(caller.failure()).isInstanceOf(InterruptedException.class);
        held.release();
        assertThat(result(single.submit(() -> "next"))).isEqualTo("next");
        assertThat(runs).hasValue(0);
        assertThat(held.wasInterrupted()).isFalse();
    }

    @Test
    void timeoutCancelsWhatHasNotEndedAndKeepsWhatHas() throws InterruptedException {
        HeldTask first = heldTask();
        HeldTask second = heldTask();
        AtomicInteger quick = new AtomicInteger();

        long before = System.nanoTime();
        List<Future<String>> futures = executor.invokeAll(
                List.of(() -> "quick " + quick.incrementAndGet(), first::call, second::call), 300, MILLISECONDS);

        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(300));
        assertThat(futures).hasSize(3).allMatch(Future::isDone);
        assertCancelled(futures.get(1));
        assertCancelled(futures.get(2));
        // A machine that stalls may not have run the quick one; what it yields must agree with whether it is cancelled.
        assertThat(futures.get(0).isCancelled() || result(futures.get(0)).equals("quick 1"))
                .isTrue();
        assertThat(first.runs.get() == 0 || endsInterrupted(first)).isTrue();
        assertThat(second.runs.get() == 0 || endsInterrupted(second)).isTrue();
    }

    @Test
    void timeoutKeepsWaitingTasksFromRunning() throws InterruptedException {
        ScheduledExecutorService single = newSingleWorker();
        HeldTask held = hold(single);
        AtomicInteger runs = new AtomicInteger();

        List<Future<Integer>> futures =
                single.invokeAll(List.of(runs::incrementAndGet, runs::incrementAndGet), 20, MILLISECONDS);

        futures.forEach(ContractFixture::assertCancelled);
        held.release();
        assertThat(result(single.submit(() -> "next"))).isEqualTo("next");
        assertThat(runs).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void timeoutThatIsNotPositiveDoesNotWait(long timeout) throws InterruptedException {
        HeldTask held = heldTask();

        List<Future<String>> futures = executor.invokeAll(List.of(held::call, held::call), timeout, NANOSECONDS);

        assertThat(futures).hasSize(2);
        futures.forEach(ContractFixture::assertCancelled);
    }

    @Test
    void taskMayInvokeAll() {
        Future<List<Future<String>>> outer =
                executor.submit(() -> executor.invokeAll(List.of(() -> "inner 1", () -> "inner 2")));

        assertThat(result(outer).stream().map(ContractFixture::result)).containsExactly("inner 1", "inner 2");
    }

    private static boolean endsInterrupted(HeldTask held) {
        await(held.ended);
        return held.wasInterrupted();
    }
}
