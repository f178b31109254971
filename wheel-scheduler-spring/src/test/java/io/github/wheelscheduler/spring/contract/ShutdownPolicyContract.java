package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** An orderly shutdown: what goes on after it by default, and the settings that change this, also while running. */
abstract class ShutdownPolicyContract extends SchedulerFixture {

    ShutdownPolicyContract(SchedulerFactory factory) {
        super(factory);
    }

    @Test
    void initiatingShutdownReturnsAtOnceAndLeavesARunAlone() {
        var scheduler = started();
        var held = new HeldTask();
        scheduler.execute(held);
        held.awaitStart();

        scheduler.initiateShutdown();

        assertThat(scheduler.getScheduledExecutor().isShutdown()).isTrue();
        staysTrue(() -> !held.hasEnded());
        held.release();
        assertThat(held.awaitEnd().wasInterrupted()).isFalse();
        awaitTermination(scheduler);
        assertThat(scheduler.isRunning()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"FIXED_RATE", "FIXED_DELAY"})
    void byDefaultAPeriodicTaskEndsWithTheInitiationOfShutdown(TaskKind kind) {
        var scheduler = started();
        var task = new RecordingTask();
        Future<?> future = kind.futureOf(scheduler, task);
        task.awaitRuns(1);

        scheduler.initiateShutdown();

        awaitTermination(scheduler);
        assertThat(future.isCancelled()).isTrue();
        int runs = task.runs();
        staysTrue(() -> task.runs() == runs);
    }

    @Test
    void triggerSeriesEndsWithTheInitiationOfShutdown() {
        var scheduler = started();
        var task = new RecordingTask();
        TaskKind.TRIGGER.start(scheduler, task);
        task.awaitRuns(1);

        scheduler.initiateShutdown();

        awaitTermination(scheduler);
        int runs = task.runs();
        staysTrue(() -> task.runs() == runs);
    }

    @Test
    void delayedTaskRunsAfterShutdownIsInitiatedByDefault() {
        var scheduler = started();
        var task = new RecordingTask();
        ScheduledFuture<?> future = scheduler.schedule(task, Instant.now().plusMillis(80));

        scheduler.initiateShutdown();

        assertYieldsNull(future);
        assertThat(task.runs()).isEqualTo(1);
        awaitTermination(scheduler);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void delayedTasksCanBeDropped(boolean setWhileRunning) {
        var scheduler = created();
        setBeforeOrAfterStart(scheduler, setWhileRunning, () -> {
            scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        });
        var task = new RecordingTask();
        ScheduledFuture<?> future = scheduler.schedule(task, Instant.now().plus(AN_HOUR));

        scheduler.initiateShutdown();

        awaitTermination(scheduler);
        assertThat(future.isCancelled()).isTrue();
        assertThat(task.hasRun()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void periodicTasksCanGoOnUntilTheyAreCancelled(boolean setWhileRunning) {
        var scheduler = created();
        setBeforeOrAfterStart(scheduler, setWhileRunning, () -> {
            scheduler.setContinueExistingPeriodicTasksAfterShutdownPolicy(true);
        });
        var rate = new RecordingTask();
        var delay = new RecordingTask();
        Future<?> rateFuture = TaskKind.FIXED_RATE.futureOf(scheduler, rate);
        Future<?> delayFuture = TaskKind.FIXED_DELAY.futureOf(scheduler, delay);
        rate.awaitRuns(1);
        delay.awaitRuns(1);

        scheduler.initiateShutdown();

        rate.awaitRuns(rate.runs() + 3);
        delay.awaitRuns(delay.runs() + 3);
        assertThat(scheduler.getScheduledExecutor().isTerminated()).isFalse();
        rateFuture.cancel(false);
        delayFuture.cancel(false);
        awaitTermination(scheduler);
    }

    @Test
    void fullShutdownEndsWhatWasAllowedToGoOn() {
        var scheduler = started(it -> it.setContinueExistingPeriodicTasksAfterShutdownPolicy(true));
        var task = new RecordingTask();
        TaskKind.FIXED_RATE.start(scheduler, task);
        var delayed = new RecordingTask();
        ScheduledFuture<?> future = scheduler.schedule(delayed, Instant.now().plus(AN_HOUR));
        scheduler.initiateShutdown();

        scheduler.shutdown();

        awaitTermination(scheduler);
        assertThat(future.isCancelled()).isTrue();
        assertThat(delayed.hasRun()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void cancelledTasksCanBeLetGoAtOnce(boolean setWhileRunning) {
        var scheduler = created();
        setBeforeOrAfterStart(scheduler, setWhileRunning, () -> scheduler.setRemoveOnCancelPolicy(true));
        Instant instant = Instant.now().plus(AN_HOUR);
        for (int i = 0; i < 100; i++) {
            scheduler.schedule(() -> {}, instant).cancel(false);
        }
        var unused = scheduler.schedule(() -> {}, instant);

        assertThat(scheduler.getScheduledExecutor().shutdownNow())
                .as("what never ran")
                .hasSize(1);
    }

    @Test
    void droppedTasksAreNotWaitedFor() {
        var scheduler = started(it -> {
            it.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
            it.setWaitForTasksToCompleteOnShutdown(true);
            it.setAwaitTerminationMillis(PATIENCE.toMillis());
        });
        ScheduledFuture<?> future = scheduler.schedule(() -> {}, Instant.now().plus(AN_HOUR));

        scheduler.shutdown();

        assertThat(scheduler.getScheduledExecutor().isTerminated()).isTrue();
        assertThat(future.isCancelled()).isTrue();
    }

    private static void setBeforeOrAfterStart(
            ThreadPoolTaskScheduler scheduler, boolean setWhileRunning, Runnable setting) {
        if (setWhileRunning) {
            scheduler.initialize();
            setting.run();
        } else {
            setting.run();
            scheduler.initialize();
        }
    }
}
