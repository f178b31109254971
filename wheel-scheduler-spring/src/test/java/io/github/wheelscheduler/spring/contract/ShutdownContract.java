package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Shutting down: what is interrupted, what is waited for, and what becomes of the tasks that have not run. */
abstract class ShutdownContract extends SchedulerFixture {

    ShutdownContract(SchedulerFactory factory) {
        super(factory);
    }

    @ParameterizedTest
    @EnumSource
    void shutdownInterruptsARunInProgress(TaskKind kind) {
        var scheduler = started();
        var held = new HeldTask();
        kind.start(scheduler, held);
        held.awaitStart();

        scheduler.shutdown();

        assertThat(held.awaitEnd().wasInterrupted()).isTrue();
        awaitTermination(scheduler);
    }

    @Test
    void shutdownCancelsWhatHasNotRun() {
        var scheduler = started();
        var task = new RecordingTask();
        Instant instant = Instant.now().plus(AN_HOUR);
        List<ScheduledFuture<?>> futures = List.of(
                scheduler.schedule(task, instant),
                scheduler.scheduleAtFixedRate(task, instant, AN_HOUR),
                scheduler.scheduleWithFixedDelay(task, instant, AN_HOUR),
                Objects.requireNonNull(scheduler.schedule(task, context -> instant)));

        scheduler.shutdown();

        assertThat(futures).allSatisfy(SchedulerFixture::assertIsCancelled);
        awaitTermination(scheduler);
        assertThat(task.hasRun()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"FIXED_RATE", "FIXED_DELAY", "TRIGGER"})
    void shutdownEndsASeries(TaskKind kind) {
        var scheduler = started();
        var task = new RecordingTask();
        Future<?> future = kind.futureOf(scheduler, task);
        task.awaitRuns(2);

        scheduler.shutdown();

        awaitTermination(scheduler);
        int runs = task.runs();
        staysTrue(() -> task.runs() == runs);
        assertThat(future.isDone()).isTrue();
    }

    @Test
    void shutdownDoesNotWaitUnlessTold() {
        var scheduler = started();
        var stubborn = HeldTask.stubborn();
        scheduler.execute(stubborn);
        stubborn.awaitStart();

        scheduler.shutdown();

        assertThat(stubborn.hasEnded()).isFalse();
        assertThat(scheduler.getScheduledExecutor().isShutdown()).isTrue();
        assertThat(scheduler.getScheduledExecutor().isTerminated()).isFalse();
        stubborn.release();
        awaitTermination(scheduler);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shutdownWithALimitAwaitsTheInterruptedRun(boolean inSeconds) {
        var scheduler = started(it -> {
            if (inSeconds) {
                it.setAwaitTerminationSeconds((int) PATIENCE.toSeconds());
            } else {
                it.setAwaitTerminationMillis(PATIENCE.toMillis());
            }
        });
        var held = new HeldTask();
        var cleanUp = new RecordingTask(new SteadyClock(), Duration.ofMillis(100));
        scheduler.execute(() -> {
            held.run();
            cleanUp.run();
        });
        held.awaitStart();

        scheduler.shutdown();

        assertThat(held.wasInterrupted()).isTrue();
        assertThat(cleanUp.ends()).hasSize(1);
        assertThat(scheduler.getScheduledExecutor().isTerminated()).isTrue();
    }

    @Test
    void shutdownReturnsAfterTheLimitThoughARunGoesOn() {
        var scheduler = started(it -> it.setAwaitTerminationMillis(80));
        var stubborn = HeldTask.stubborn();
        scheduler.execute(stubborn);
        stubborn.awaitStart();
        long before = System.nanoTime();

        scheduler.shutdown();

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(Duration.ofMillis(80));
        assertThat(stubborn.hasEnded()).isFalse();
        stubborn.release();
    }

    @Test
    void interruptEndsTheWaitAndIsKept() {
        var scheduler = started(it -> it.setAwaitTerminationMillis(AN_HOUR.toMillis()));
        var stubborn = HeldTask.stubborn();
        scheduler.execute(stubborn);
        stubborn.awaitStart();

        Thread.currentThread().interrupt();
        scheduler.shutdown();

        assertThat(Thread.interrupted()).as("interrupt kept").isTrue();
        assertThat(stubborn.hasEnded()).isFalse();
        stubborn.release();
    }

    @Test
    void closeThatWaitsLetsTheRunFinish() {
        var scheduler = started(it -> {
            it.setWaitForTasksToCompleteOnShutdown(true);
            it.setAwaitTerminationMillis(PATIENCE.toMillis());
        });
        var held = new HeldTask();
        var rest = new RecordingTask(new SteadyClock(), Duration.ofMillis(100));
        scheduler.execute(held);
        scheduler.execute(() -> {
            rest.run();
            held.release();
        });
        held.awaitStart();

        scheduler.shutdown();

        assertThat(held.hasEnded()).isTrue();
        assertThat(held.wasInterrupted()).isFalse();
        assertThat(scheduler.getScheduledExecutor().isTerminated()).isTrue();
    }

    @Test
    void waitingForTasksRunsDelayedOnesAndCancelsSeries() {
        var clock = new SteadyClock();
        var scheduler = started(it -> {
            it.setClock(clock);
            it.setWaitForTasksToCompleteOnShutdown(true);
            it.setAwaitTerminationMillis(PATIENCE.toMillis());
        });
        var delayed = new RecordingTask(clock);
        var series = new RecordingTask(clock);
        Instant instant = clock.instant().plusMillis(150);
        // Later than any stall before the shutdown, so that none of them begins before it.
        Instant seriesInstant = instant.plus(AN_HOUR);
        ScheduledFuture<?> delayedFuture = scheduler.schedule(delayed, instant);
        ScheduledFuture<?> rate = scheduler.scheduleAtFixedRate(series, seriesInstant, AN_HOUR);
        ScheduledFuture<?> delay = scheduler.scheduleWithFixedDelay(series, seriesInstant, AN_HOUR);

        scheduler.shutdown();

        assertThat(delayed.runs()).isEqualTo(1);
        assertThat(delayed.starts().get(0)).isAfterOrEqualTo(instant);
        assertYieldsNull(delayedFuture);
        assertIsCancelled(rate);
        assertIsCancelled(delay);
        assertThat(series.hasRun()).isFalse();
    }

    @Test
    void waitingWithoutALimitReturnsAtOnceAndDueWorkGoesOn() {
        var scheduler = started(it -> it.setWaitForTasksToCompleteOnShutdown(true));
        var held = new HeldTask();
        var delayed = new RecordingTask();
        scheduler.execute(held);
        held.awaitStart();
        var unused = scheduler.schedule(delayed, Instant.now().plusMillis(60));

        scheduler.shutdown();

        assertThat(held.hasEnded()).isFalse();
        delayed.awaitRuns(1);
        held.release();
        assertThat(held.awaitEnd().wasInterrupted()).isFalse();
        awaitTermination(scheduler);
    }

    @Test
    void shuttingDownAgainChangesNothing() {
        var scheduler = started();

        scheduler.shutdown();
        scheduler.shutdown();
        scheduler.initiateShutdown();

        awaitTermination(scheduler);
        assertThat(scheduler.isRunning()).isFalse();
    }
}
