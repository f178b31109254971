package io.github.wheelscheduler.contract;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** {@code execute} and {@code submit}: a task without a delay, and failures that stay with their own task. */
abstract class SubmissionContract extends ContractFixture {

    SubmissionContract(Subject subject) {
        super(subject);
    }

    @Test
    void submitOfARunnableYieldsNullAfterTheRun() {
        AtomicInteger runs = new AtomicInteger();

        Future<?> future = executor.submit((Runnable) runs::incrementAndGet);

        assertThat((Object) result(future)).isNull();
        assertThat(runs).hasValue(1);
    }

    @Test
    void submitWithAResultYieldsItAfterTheRun() {
        AtomicInteger runs = new AtomicInteger();
        Object value = new Object();

        Future<Object> future = executor.submit(runs::incrementAndGet, value);

        assertThat(result(future)).isSameAs(value);
        assertThat(runs).hasValue(1);
    }

    @Test
    void noSubmissionWaitsForTheTask() {
        List<HeldTask> held = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            held.add(heldTask());
        }

        executor.execute(held.get(0)::run);
        Future<?> runnable = executor.submit(held.get(1)::run);
        Future<String> callable = executor.submit(held.get(2)::call);
        Future<String> withResult = executor.submit(held.get(3)::run, "done");

        held.forEach(each -> await(each.begun));
        assertPending(runnable);
        assertPending(callable);
        assertPending(withResult);
        held.forEach(HeldTask::release);
        assertThat((Object) result(runnable)).isNull();
        assertThat(result(callable)).isEqualTo(HeldTask.RESULT);
        assertThat(result(withResult)).isEqualTo("done");
    }

    @Test
    void moreTasksThanWorkersAllRun() {
        AtomicInteger runs = new AtomicInteger();
        List<Future<?>> futures = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            futures.add(executor.submit((Runnable) runs::incrementAndGet));
        }

        futures.forEach(ContractFixture::result);

        assertThat(runs).hasValue(1_000);
    }

    @Test
    void taskMaySubmitAndWaitForAnother() {
        Future<String> outer =
                executor.submit(() -> executor.submit(() -> "inner").get());

        assertThat(result(outer)).isEqualTo("inner");
    }

    @Test
    void exceptionOfATaskReachesItsFuture() {
        RuntimeException unchecked = new IllegalStateException("unchecked");
        Exception checked = new IOException("checked");
        Error error = new LinkageError("error");

        awaitFailed(executor.submit(failing(unchecked)), unchecked);
        awaitFailed(executor.submit(failing(unchecked), "a result"), unchecked);
        awaitFailed(executor.submit(failing(error)), error);
        awaitFailed(executor.schedule(failing(unchecked), 1, MILLISECONDS), unchecked);
        awaitFailed(executor.schedule(failing(error), 1, MILLISECONDS), error);
        awaitFailed(
                executor.submit(() -> {
                    throw checked;
                }),
                checked);
        awaitFailed(
                executor.schedule(
                        () -> {
                            throw checked;
                        },
                        1,
                        MILLISECONDS),
                checked);
    }

    /** On one worker, so that a worker which dies of a failure, or remembers it, is the one that runs the next. */
    @Test
    void failureHarmsNoLaterTask() {
        ScheduledExecutorService single = newSingleWorker();

        for (int i = 0; i < 20; i++) {
            single.execute(failing(new IllegalStateException("on purpose")));
            single.execute(failing(new LinkageError("on purpose")));
            awaitDone(single.submit(failing(new IllegalStateException("on purpose"))));
            awaitDone(single.schedule(failing(new StackOverflowError("on purpose")), 10, MILLISECONDS));
            assertThat(result(single.submit(() -> "next"))).isEqualTo("next");
        }
    }

    @Test
    void failuresOfEveryWorkerLeaveTheExecutorWhole() {
        for (int i = 0; i < 100; i++) {
            executor.execute(failing(new LinkageError("on purpose")));
        }

        assertThat(result(executor.schedule(() -> "later", 10, MILLISECONDS))).isEqualTo("later");
        assertThat(executor.isShutdown()).isFalse();
    }

    @Test
    void completionServiceHandsOutWhatEndsFirst() throws Exception {
        ExecutorCompletionService<String> completions = new ExecutorCompletionService<>(executor);
        HeldTask slow = heldTask();
        Future<String> slowFuture = completions.submit(slow::call);
        Future<String> quickFuture = completions.submit(() -> "quick");

        assertThat(completions.poll(PATIENCE.toSeconds(), SECONDS)).isSameAs(quickFuture);
        slow.release();
        assertThat(completions.poll(PATIENCE.toSeconds(), SECONDS)).isSameAs(slowFuture);
    }

    private static Runnable failing(RuntimeException failure) {
        return () -> {
            throw failure;
        };
    }

    private static Runnable failing(Error failure) {
        return () -> {
            throw failure;
        };
    }
}
