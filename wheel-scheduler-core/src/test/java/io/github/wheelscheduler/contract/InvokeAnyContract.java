package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code invokeAny}: the result of one task that succeeds, and the others are cancelled. */
abstract class InvokeAnyContract extends ContractFixture {

    InvokeAnyContract(Subject subject) {
        super(subject);
    }

    /** The two forms of the method, for what both have in common. */
    enum Form {
        UNTIMED {
            @Override
            <T> T invoke(ScheduledExecutorService on, Collection<? extends Callable<T>> tasks) throws Exception {
                return on.invokeAny(tasks);
            }
        },
        TIMED {
            @Override
            <T> T invoke(ScheduledExecutorService on, Collection<? extends Callable<T>> tasks) throws Exception {
                return on.invokeAny(tasks, 1, HOURS);
            }
        },
        WITH_THE_LONGEST_TIMEOUT {
            @Override
            <T> T invoke(ScheduledExecutorService on, Collection<? extends Callable<T>> tasks) throws Exception {
                return on.invokeAny(tasks, Long.MAX_VALUE, DAYS);
            }
        };

        abstract <T> T invoke(ScheduledExecutorService on, Collection<? extends Callable<T>> tasks) throws Exception;
    }

    @ParameterizedTest
    @EnumSource
    void returnsTheResultOfTheOnlyTask(Form form) throws Exception {
        Object value = new Object();

        assertThat(form.<Object>invoke(executor, List.of(() -> value))).isSameAs(value);
    }

    @ParameterizedTest
    @EnumSource
    void returnsTheResultOfOneThatSucceeds(Form form) throws Exception {
        assertThat(form.<String>invoke(executor, List.of(() -> "a", () -> "b", () -> "c")))
                .isIn("a", "b", "c");
    }

    @ParameterizedTest
    @EnumSource
    void failuresDoNotCountAsLongAsOneSucceeds(Form form) throws Exception {
        Callable<String> failing = () -> {
            throw new IOException("on purpose");
        };
        Callable<String> broken = () -> {
            throw new LinkageError("on purpose");
        };

        assertThat(form.<String>invoke(executor, List.of(failing, broken, () -> "good", failing, broken)))
                .isEqualTo("good");
    }

    @ParameterizedTest
    @EnumSource
    void cancelsTheOthersOnceOneHasSucceeded(Form form) throws Exception {
        HeldTask slow = heldTask();

        String result = form.invoke(executor, List.of(slow::call, () -> {
            await(slow.begun);
            return "quick";
        }));

        assertThat(result).isEqualTo("quick");
        await(slow.ended);
        assertThat(slow.wasInterrupted()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void cancelsTheOthersOnceTheCallerIsInterrupted(Form form) throws Exception {
        HeldTask first = heldTask();
        HeldTask second = heldTask();
        Caller<String> caller =
                Caller.call(() -> form.<String>invoke(executor, List.<Callable<String>>of(first::call, second::call)));
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
    void invokeAnyThrowsTheFailureOfOneIfNoneSucceeds(Form form) {
        IOException first = new IOException("on purpose");
        IllegalStateException second = new IllegalStateException("on purpose");

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> form.<String>invoke(
                        executor,
                        List.of(
                                () -> {
                                    throw first;
                                },
                                () -> {
                                    throw second;
                                })))
                .satisfies(e -> assertThat(e.getCause()).isIn(first, second));
    }

    @Test
    void shutdownNowReturnsNothingWithoutTasks() {
        assertThatIllegalArgumentException().isThrownBy(() -> executor.invokeAny(List.<Callable<String>>of()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> executor.invokeAny(List.<Callable<String>>of(), 1, HOURS));
    }

    @Test
    void timeoutCancelsEverything() throws InterruptedException {
        HeldTask first = heldTask();
        HeldTask second = heldTask();

        long before = System.nanoTime();
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() ->
                        executor.invokeAny(List.<Callable<String>>of(first::call, second::call), 100, MILLISECONDS));

        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(100));
        executor.shutdown();
        assertTerminates(executor);
        assertThat(first.runs.get() == 0 || first.wasInterrupted()).isTrue();
        assertThat(second.runs.get() == 0 || second.wasInterrupted()).isTrue();
    }

    @Test
    void timeoutInterruptsTheRunningTask() {
        HeldTask held = heldTask();
        Callable<String> neverEnds = () -> {
            held.run();
            throw new IOException("too late");
        };

        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> executor.invokeAny(List.of(neverEnds), 300, MILLISECONDS));

        // Only a machine that stalled for all of the timeout has not begun; then there is nothing to interrupt.
        if (held.runs.get() > 0) {
            await(held.ended);
            assertThat(held.wasInterrupted()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void timeoutThatIsNotPositiveDoesNotWait(long timeout) {
        HeldTask held = heldTask();

        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> executor.invokeAny(List.<Callable<String>>of(held::call), timeout, NANOSECONDS));
    }

    @ParameterizedTest
    @EnumSource
    void waitingTasksDoNotRunOnceOneHasSucceeded(Form form) throws Exception {
        ScheduledExecutorService single = newSingleWorker();
        AtomicInteger later = new AtomicInteger();
        CountDownLatch returned = new CountDownLatch(1);
        AtomicBoolean secondBegan = new AtomicBoolean();
        Callable<String> deafToInterrupts = () -> {
            secondBegan.set(true);
            awaitThroughInterrupts(returned);
            throw new IOException("on purpose");
        };

        // The second task has the worker as soon as the first is through, so that the third can only wait.
        String result =
                form.invoke(single, List.of(() -> "first", deafToInterrupts, () -> "third " + later.incrementAndGet()));
        returned.countDown();

        assertThat(result).isEqualTo("first");
        assertThat(result(single.submit(() -> "next"))).isEqualTo("next");
        // Cancelled before it began, it keeps the worker from no other.
        if (secondBegan.get()) {
            assertThat(later).hasValue(0);
        }
    }

    private static void awaitThroughInterrupts(CountDownLatch latch) {
        long begun = System.nanoTime();
        while (latch.getCount() > 0 && System.nanoTime() - begun < PATIENCE.toNanos()) {
            LockSupport.parkNanos(MILLISECONDS.toNanos(1));
        }
    }
}
