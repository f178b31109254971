package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the future of a task that runs once tells before, during and after the run. */
abstract class FutureContract extends ContractFixture {

    FutureContract(Subject subject) {
        super(subject);
    }

    @ParameterizedTest
    @EnumSource
    void getWaitsForTheEndOfTheRun(OneShot way) {
        HeldTask held = heldTask();
        Future<String> future = way.start(executor, held::call);
        Caller<String> untimed = Caller.call(future::get);
        Caller<String> timed = Caller.call(() -> future.get(1, HOURS));
        await(held.begun);
        assertThat(untimed.awaitBlocked().isBlocked()).isTrue();
        assertThat(timed.awaitBlocked().isBlocked()).isTrue();

        held.release();

        assertThat(untimed.result()).isEqualTo(HeldTask.RESULT);
        assertThat(timed.result()).isEqualTo(HeldTask.RESULT);
    }

    @ParameterizedTest
    @EnumSource
    void resultCanBeReadAgainAndAgain(OneShot way) throws Exception {
        Object value = new Object();
        Future<Object> future = way.start(executor, () -> value);

        for (int i = 0; i < 3; i++) {
            assertThat(future.get()).isSameAs(value);
            assertThat(future.get(0, NANOSECONDS)).isSameAs(value);
            assertThat(future.get(-1, DAYS)).isSameAs(value);
            assertThat(future.get(Long.MAX_VALUE, DAYS)).isSameAs(value);
        }
    }

    @Test
    void longestTimeoutDoesNotOverflow() {
        HeldTask held = heldTask();
        Future<String> future = executor.submit(held::call);
        Caller<String> nanos = Caller.call(() -> future.get(Long.MAX_VALUE, NANOSECONDS));
        Caller<String> days = Caller.call(() -> future.get(Long.MAX_VALUE, DAYS));
        nanos.awaitBlocked();
        days.awaitBlocked();

        held.release();

        assertThat(nanos.result()).isEqualTo(HeldTask.RESULT);
        assertThat(days.result()).isEqualTo(HeldTask.RESULT);
    }

    @ParameterizedTest
    @EnumSource
    void timedGetGivesUpAfterItsTimeoutAndChangesNothing(OneShot way) {
        HeldTask held = heldTask();
        Future<String> future = way.start(executor, held::call);

        long before = System.nanoTime();
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> future.get(30, MILLISECONDS));

        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(30));
        assertPending(future);
        await(held.begun);
        held.release();
        assertThat(result(future)).isEqualTo(HeldTask.RESULT);
        assertThat(held.wasInterrupted()).isFalse();
    }

    @Test
    void timeoutThatIsNotPositiveDoesNotWait() {
        ScheduledFuture<String> future = executor.schedule(() -> "later", 1, HOURS);

        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> future.get(0, NANOSECONDS));
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> future.get(-1, DAYS));
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> future.get(Long.MIN_VALUE, DAYS));
        assertPending(future);
    }

    @Test
    void interruptEndsTheWaitAndHarmsNeitherTaskNorFuture() throws Exception {
        HeldTask held = heldTask();
        Future<String> future = executor.submit(held::call);
        await(held.begun);
        Caller<String> untimed = Caller.call(future::get).awaitBlocked();
        Caller<String> timed = Caller.call(() -> future.get(1, HOURS)).awaitBlocked();
        Caller<String> other = Caller.call(future::get).awaitBlocked();

        untimed.interrupt();
        timed.interrupt();

        assertThat(untimed.failure()).isInstanceOf(InterruptedException.class);
        assertThat(timed.failure()).isInstanceOf(InterruptedException.class);
        assertThat(untimed.endedInterrupted()).as("status after the exception").isFalse();
        assertThat(timed.endedInterrupted()).as("status after the exception").isFalse();
        assertPending(future);
        held.release();
        assertThat(other.result()).isEqualTo(HeldTask.RESULT);
        assertThat(held.wasInterrupted()).isFalse();
    }

    @Test
    void interruptedThreadDoesNotWait() throws Exception {
        ScheduledFuture<String> future = executor.schedule(() -> "later", 1, HOURS);

        assertThat(Caller.callInterrupted(future::get).failure()).isInstanceOf(InterruptedException.class);
        assertThat(Caller.callInterrupted(() -> future.get(1, HOURS)).failure())
                .isInstanceOf(InterruptedException.class);
        assertPending(future);
    }

    @Test
    void endedTaskIsReadByAnInterruptedThread() {
        Future<String> future = executor.submit(() -> "value");
        awaitDone(future);

        Caller<String> untimed = Caller.callInterrupted(future::get);
        Caller<String> timed = Caller.callInterrupted(() -> future.get(1, HOURS));

        assertThat(untimed.result()).isEqualTo("value");
        assertThat(timed.result()).isEqualTo("value");
        assertThat(untimed.endedInterrupted()).isTrue();
        assertThat(timed.endedInterrupted()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void failureIsToldAsItsVeryCauseAgainAndAgain(OneShot way) {
        for (Throwable failure : List.of(
                new IllegalStateException("unchecked"),
                new IOException("checked"),
                new LinkageError("error"),
                new InterruptedException("of the task's own"),
                new CancellationException("of the task's own"),
                new ExecutionException("of the task's own", new IOException()))) {
            Future<String> future = way.start(executor, throwing(failure));

            awaitFailed(future, failure);
            awaitFailed(future, failure);
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(future::get)
                    .satisfies(e -> assertThat(e.getCause()).isSameAs(failure));
        }
    }

    @ParameterizedTest
    @EnumSource
    void endedTaskCannotBeCancelled(OneShot way) {
        Future<String> succeeded = way.start(executor, () -> "value");
        IOException failure = new IOException("on purpose");
        Future<String> failed = way.start(executor, throwing(failure));
        awaitDone(succeeded);
        awaitDone(failed);

        for (boolean mayInterrupt : new boolean[] {false, true}) {
            assertThat(succeeded.cancel(mayInterrupt)).isFalse();
            assertThat(failed.cancel(mayInterrupt)).isFalse();
        }

        assertThat(result(succeeded)).isEqualTo("value");
        assertThat(succeeded.isCancelled()).isFalse();
        awaitFailed(failed, failure);
    }

    @ParameterizedTest
    @EnumSource
    void allOfManyWaitersGetTheResult(OneShot way) {
        HeldTask held = heldTask();
        Future<String> future = way.start(executor, held::call);
        List<Caller<String>> waiters = manyWaitersFor(future);

        held.release();

        assertThat(waiters.stream().map(Caller::result)).containsOnly(HeldTask.RESULT);
    }

    @Test
    void allOfManyWaitersGetTheFailure() throws Exception {
        HeldTask held = heldTask();
        IllegalStateException failure = new IllegalStateException("on purpose");
        Future<String> future = executor.submit(() -> {
            held.run();
            throw failure;
        });
        List<Caller<String>> waiters = manyWaitersFor(future);

        held.release();

        for (Caller<String> waiter : waiters) {
            assertThat(waiter.failure())
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isSameAs(failure);
        }
    }

    @Test
    void allOfManyWaitersLearnOfACancellation() throws Exception {
        ScheduledFuture<String> future = executor.schedule(() -> "later", 1, HOURS);
        List<Caller<String>> waiters = manyWaitersFor(future);

        assertThat(future.cancel(false)).isTrue();

        for (Caller<String> waiter : waiters) {
            assertThat(waiter.failure()).isInstanceOf(CancellationException.class);
        }
    }

    @Test
    void waitersThatGaveUpDoNotKeepTheOthersFromTheResult() throws Exception {
        HeldTask held = heldTask();
        Future<String> future = executor.submit(held::call);
        List<Caller<String>> waiters = manyWaitersFor(future);
        for (int i = 0; i < waiters.size(); i += 2) {
            waiters.get(i).interrupt();
            assertThat(waiters.get(i).failure()).isInstanceOf(InterruptedException.class);
        }

        held.release();

        for (int i = 1; i < waiters.size(); i += 2) {
            assertThat(waiters.get(i).result()).isEqualTo(HeldTask.RESULT);
        }
    }

    @Test
    void scheduledTaskMayBeRunByHandAndThenRunsNoMore() {
        AtomicInteger runs = new AtomicInteger();
        ScheduledFuture<Integer> future = executor.schedule(runs::incrementAndGet, 30, MILLISECONDS);

        ((RunnableFuture<?>) future).run();

        assertThat(result(future)).isEqualTo(1);
        ((RunnableFuture<?>) future).run();
        assertThat(result(executor.schedule(() -> "later", 60, MILLISECONDS))).isEqualTo("later");
        assertThat(runs).hasValue(1);
    }

    @Test
    void runByHandDoesNothingWhileTheTaskRuns() {
        HeldTask held = heldTask();
        ScheduledFuture<String> future = executor.schedule(held::call, 1, MILLISECONDS);
        await(held.begun);

        ((RunnableFuture<?>) future).run();

        assertPending(future);
        held.release();
        assertThat(result(future)).isEqualTo(HeldTask.RESULT);
        assertThat(held.runs).hasValue(1);
    }

    private static List<Caller<String>> manyWaitersFor(Future<String> future) {
        List<Caller<String>> waiters = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiters.add(Caller.call(future::get));
            waiters.add(Caller.call(() -> future.get(1, HOURS)));
        }
        waiters.forEach(Caller::awaitBlocked);
        return waiters;
    }

    private static Callable<String> throwing(Throwable failure) {
        return () -> {
            if (failure instanceof Error error) {
                throw error;
            }
            throw (Exception) failure;
        };
    }
}
