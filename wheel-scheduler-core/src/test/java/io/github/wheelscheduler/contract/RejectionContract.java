package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** After shutdown every way to hand in a task is refused, and what was refused never runs. */
abstract class RejectionContract extends ContractFixture {

    private final CountDownLatch ran = new CountDownLatch(1);

    RejectionContract(Subject subject) {
        super(subject);
    }

    /** Every method that takes a task. */
    @SuppressWarnings({"FutureReturnValueIgnored", "ImmutableEnumChecker"}) // calls that throw, without state
    enum Way {
        EXECUTE((on, task) -> on.execute(task)),
        SUBMIT_RUNNABLE((on, task) -> on.submit(task)),
        SUBMIT_RUNNABLE_WITH_RESULT((on, task) -> on.submit(task, "result")),
        SUBMIT_CALLABLE((on, task) -> on.submit(Executors.callable(task))),
        SCHEDULE_RUNNABLE((on, task) -> on.schedule(task, 1, MILLISECONDS)),
        SCHEDULE_RUNNABLE_AT_ONCE((on, task) -> on.schedule(task, 0, MILLISECONDS)),
        SCHEDULE_RUNNABLE_FAR_AHEAD((on, task) -> on.schedule(task, Long.MAX_VALUE, NANOSECONDS)),
        SCHEDULE_CALLABLE((on, task) -> on.schedule(Executors.callable(task), 1, MILLISECONDS)),
        FIXED_RATE((on, task) -> on.scheduleAtFixedRate(task, 1, 1, MILLISECONDS)),
        FIXED_DELAY((on, task) -> on.scheduleWithFixedDelay(task, 1, 1, MILLISECONDS)),
        INVOKE_ALL((on, task) -> on.invokeAll(List.of(Executors.callable(task)))),
        INVOKE_ALL_TIMED((on, task) -> on.invokeAll(List.of(Executors.callable(task)), 1, HOURS)),
        INVOKE_ANY((on, task) -> on.invokeAny(List.of(Executors.callable(task)))),
        INVOKE_ANY_TIMED((on, task) -> on.invokeAny(List.of(Executors.callable(task)), 1, HOURS));

        private final HandIn handIn;

        Way(HandIn handIn) {
            this.handIn = handIn;
        }
    }

    @FunctionalInterface
    interface HandIn {
        void to(ScheduledExecutorService on, Runnable task) throws Exception;
    }

    @ParameterizedTest
    @EnumSource
    void taskIsRejectedAfterTermination(Way way) throws InterruptedException {
        executor.shutdown();
        assertTerminates(executor);

        assertRefused(way);
    }

    @ParameterizedTest
    @EnumSource
    void taskIsRejectedAfterShutdownWhileOthersRun(Way way) {
        subject.setContinueExistingPeriodicTasksAfterShutdownPolicy(executor, true);
        HeldTask held = hold(executor);
        Future<?> delayed = executor.schedule(() -> {}, 1, HOURS);
        Future<?> series = executor.scheduleAtFixedRate(() -> {}, 1, 1, HOURS);
        executor.shutdown();

        assertRefused(way);

        assertPending(delayed);
        assertPending(series);
        held.release();
    }

    @ParameterizedTest
    @EnumSource
    void taskIsRejectedAfterShutdownNowWhileOneRuns(Way way) {
        HeldTask held = heldTask();
        CountDownLatch begun = new CountDownLatch(1);
        executor.execute(() -> {
            begun.countDown();
            held.run();
            held.run();
        });
        await(begun);
        executor.shutdownNow();

        assertRefused(way);

        held.release();
    }

    @ParameterizedTest
    @EnumSource
    void taskIsRejectedWithinATaskAfterShutdown(Way way) throws InterruptedException {
        HeldTask held = heldTask();
        Future<?> future = executor.submit(() -> {
            held.run();
            assertRefused(way);
        });
        await(held.begun);
        executor.shutdown();
        held.release();

        result(future);
        assertTerminates(executor);
    }

    @Test
    void refusedTaskDoesNotRun() throws InterruptedException {
        HeldTask held = hold(executor);
        executor.shutdown();

        for (Way way : Way.values()) {
            assertRefused(way);
        }

        assertStaysUntouched(ran);
        held.release();
        assertTerminates(executor);
        assertStaysUntouched(ran);
    }

    private void assertRefused(Way way) {
        assertThatExceptionOfType(RejectedExecutionException.class)
                .as("handed in by %s", way)
                .isThrownBy(() -> way.handIn.to(executor, ran::countDown));
    }
}
