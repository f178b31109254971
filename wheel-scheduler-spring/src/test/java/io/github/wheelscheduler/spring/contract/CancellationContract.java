package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cancelling a task before, during and after its run, and from inside it. */
abstract class CancellationContract extends SchedulerFixture {

    CancellationContract(SchedulerFactory factory) {
        super(factory);
    }

    @ParameterizedTest
    @EnumSource(names = {"SUBMIT_RUNNABLE", "SUBMIT_CALLABLE", "ONE_TIME", "FIXED_RATE", "FIXED_DELAY", "TRIGGER"})
    void aTaskCancelledWhileItIsDueButNotStartedNeverRuns(TaskKind kind) {
        var scheduler = started();
        scheduler.stop();
        var task = new RecordingTask();

        Future<?> future = kind.futureOf(scheduler, task);
        assertThat(future.cancel(false)).isTrue();
        scheduler.start();

        assertIsCancelled(future);
        staysTrue(() -> !task.hasRun());
    }

    @ParameterizedTest
    @EnumSource(names = {"SUBMIT_RUNNABLE", "SUBMIT_CALLABLE", "ONE_TIME", "FIXED_RATE", "FIXED_DELAY", "TRIGGER"})
    void cancellingARunningTaskCanInterruptIt(TaskKind kind) {
        var scheduler = started();
        var held = new HeldTask();
        Future<?> future = kind.futureOf(scheduler, held);
        held.awaitStart();

        assertThat(future.cancel(true)).isTrue();

        held.awaitEnd();
        assertThat(held.wasInterrupted()).isTrue();
        assertIsCancelled(future);
    }

    @ParameterizedTest
    @EnumSource(names = {"SUBMIT_RUNNABLE", "SUBMIT_CALLABLE", "ONE_TIME", "FIXED_RATE", "FIXED_DELAY", "TRIGGER"})
    void cancellingARunningTaskCanLetItFinish(TaskKind kind) {
        var scheduler = started();
        var held = new HeldTask();
        Future<?> future = kind.futureOf(scheduler, held);
        held.awaitStart();

        assertThat(future.cancel(false)).isTrue();

        assertIsCancelled(future);
        staysTrue(() -> !held.hasEnded());
        held.release();
        held.awaitEnd();
        assertThat(held.wasInterrupted()).isFalse();
        assertIsCancelled(future);
    }

    @ParameterizedTest
    @EnumSource(names = {"SUBMIT_RUNNABLE", "SUBMIT_CALLABLE", "ONE_TIME"})
    void cancellingAFinishedTaskChangesNothing(TaskKind kind) {
        Future<?> future = kind.futureOf(started(), () -> {});
        awaitDone(future);

        assertThat(future.cancel(true)).isFalse();

        assertYieldsNull(future);
    }

    @ParameterizedTest
    @EnumSource(names = {"FIXED_RATE", "FIXED_DELAY", "TRIGGER"})
    void cancellingBetweenTwoRunsEndsTheSeries(TaskKind kind) {
        var scheduler = started();
        var task = new RecordingTask();
        Future<?> future = kind.futureOf(scheduler, task);
        task.awaitRuns(2);

        assertThat(future.cancel(false)).isTrue();

        assertIsCancelled(future);
        assertEndsWithTheRunInProgress(task);
    }

    @ParameterizedTest
    @EnumSource(names = {"FIXED_RATE", "FIXED_DELAY", "TRIGGER"})
    void aSeriesCanCancelItselfFromInside(TaskKind kind) {
        var scheduler = started();
        var handle = new CompletableFuture<Future<?>>();
        var task = new RecordingTask();

        Future<?> future = kind.futureOf(scheduler, () -> {
            task.run();
            if (task.runs() == 3) {
                handle.join().cancel(false);
            }
        });
        handle.complete(future);

        task.awaitRuns(3);
        await().until(future::isCancelled);
        assertIsCancelled(future);
        staysTrue(() -> task.runs() == 3);
    }

    @ParameterizedTest
    @EnumSource(names = {"FIXED_RATE", "FIXED_DELAY", "TRIGGER"})
    void aSeriesCancelledDuringARunRunsNoMore(TaskKind kind) {
        var scheduler = started();
        var held = new HeldTask();
        var task = new RecordingTask();
        Future<?> future = kind.futureOf(scheduler, () -> {
            task.run();
            held.run();
        });
        held.awaitStart();

        assertThat(future.cancel(false)).isTrue();
        held.release();

        held.awaitEnd();
        staysTrue(() -> task.runs() == 1);
    }

    private static void assertEndsWithTheRunInProgress(RecordingTask task) {
        int runs = task.runs();
        // That run may have been taken by a worker that has yet to begin it, however long it is held up.
        staysTrue(() -> task.runs() <= runs + 1);
    }
}
