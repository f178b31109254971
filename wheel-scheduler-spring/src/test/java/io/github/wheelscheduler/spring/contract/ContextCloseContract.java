package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** The scheduler as a bean: started, paused, resumed and closed together with its context. */
abstract class ContextCloseContract extends ContextFixture {

    ContextCloseContract(SchedulerFactory factory) {
        super(factory);
    }

    @Test
    void contextInitializesAndNamesTheScheduler() {
        var scheduler = schedulerOf(context(settings -> {}));

        assertThat(scheduler.isRunning()).isTrue();
        assertThat(scheduler.submit(() -> Thread.currentThread().getName()))
                .succeedsWithin(PATIENCE)
                .asString()
                .startsWith("taskScheduler-");
    }

    @Test
    void contextPausesAndResumesTheScheduler() {
        var context = context(settings -> {});
        var scheduler = schedulerOf(context);
        var task = new RecordingTask();

        context.stop();
        assertThat(scheduler.isRunning()).isFalse();
        scheduler.execute(task);
        staysTrue(() -> !task.hasRun());
        context.start();

        assertThat(scheduler.isRunning()).isTrue();
        task.awaitRuns(1);
    }

    @Test
    void onceClosingHasBegunNewTasksAreRejected() {
        assertThat(submissionDuringClose(settings -> {})).isInstanceOf(TaskRejectedException.class);
    }

    @Test
    void newTasksCanBeAcceptedUntilTheSchedulerIsDestroyed() {
        assertThat(submissionDuringClose(it -> it.setAcceptTasksAfterContextClose(true)))
                .isNull();
    }

    @Test
    void waitingForTasksAcceptsNewOnesDuringTheCloseToo() {
        assertThat(submissionDuringClose(it -> {
                    it.setWaitForTasksToCompleteOnShutdown(true);
                    it.setAwaitTerminationMillis(PATIENCE.toMillis());
                }))
                .isNull();
    }

    @Test
    void closeOfAnotherContextIsNoneOfItsBusiness() {
        var parent = context(settings -> {});
        var child = new GenericApplicationContext(parent);
        child.refresh();

        child.close();

        assertThat(schedulerOf(parent).submit(() -> "still here")).succeedsWithin(PATIENCE);
    }

    @Test
    void closingWaitsForARunInProgress() {
        var context = context(settings -> {});
        var scheduler = schedulerOf(context);
        var held = new HeldTask();
        scheduler.execute(held);
        held.awaitStart();

        var closing = CompletableFuture.runAsync(context::close, task -> new Thread(task).start());
        await().until(() -> !scheduler.isRunning());
        staysTrue(() -> !closing.isDone() && !held.hasEnded());
        held.release();

        assertThat(closing).succeedsWithin(PATIENCE);
        assertThat(held.wasInterrupted()).isFalse();
        awaitTermination(scheduler);
    }

    @Test
    void closingStartsNoSeriesAgainWhileARunInProgressEnds() {
        var context = context(settings -> {});
        var scheduler = schedulerOf(context);
        var held = new HeldTask();
        scheduler.execute(held);
        held.awaitStart();
        var series = new RecordingTask();
        TaskKind.FIXED_RATE.start(scheduler, series);
        TaskKind.FIXED_DELAY.start(scheduler, series);
        series.awaitRuns(2);

        var closing = CompletableFuture.runAsync(context::close, task -> new Thread(task).start());
        await().until(() -> scheduler.getScheduledExecutor().isShutdown());
        await().until(() -> !scheduler.isRunning());

        int runs = series.runs();
        // Of each series, a worker may have taken a run that it has yet to begin.
        staysTrue(() -> series.runs() <= runs + 2);
        held.release();
        assertThat(closing).succeedsWithin(PATIENCE);
    }

    @Test
    void schedulerThatAcceptsToTheEndInterruptsItsRunsThen() {
        var context = context(it -> it.setAcceptTasksAfterContextClose(true));
        var scheduler = schedulerOf(context);
        var held = new HeldTask();
        scheduler.execute(held);
        held.awaitStart();

        context.close();

        assertThat(held.awaitEnd().wasInterrupted()).isTrue();
        awaitTermination(scheduler);
    }

    @Test
    void closeThatWaitsRunsDelayedTasksFirst() {
        var context = context(it -> {
            it.setWaitForTasksToCompleteOnShutdown(true);
            it.setAwaitTerminationMillis(PATIENCE.toMillis());
        });
        var scheduler = schedulerOf(context);
        var running = new RecordingTask(new SteadyClock(), Duration.ofMillis(100));
        var delayed = new RecordingTask();
        scheduler.execute(running);
        var unused = scheduler.schedule(delayed, Instant.now().plusMillis(80));

        context.close();

        assertThat(running.ends()).hasSize(1);
        assertThat(delayed.ends()).hasSize(1);
        assertThat(scheduler.getScheduledExecutor().isTerminated()).isTrue();
    }

    @Test
    void closingReleasesAPausedScheduler() {
        var context = context(settings -> {});
        var scheduler = schedulerOf(context);
        context.stop();
        for (TaskKind kind : TaskKind.values()) {
            kind.start(scheduler, () -> {});
        }

        context.close();

        awaitTermination(scheduler);
    }

    @Test
    void nothingRunsAfterTheClose() {
        var context = context(settings -> {});
        var scheduler = schedulerOf(context);
        var task = new RecordingTask();
        for (TaskKind kind : TaskKind.values()) {
            kind.start(scheduler, task);
        }
        task.awaitRuns(TaskKind.values().length);

        context.close();

        awaitTermination(scheduler);
        int runs = task.runs();
        staysTrue(() -> task.runs() == runs);
        assertThat(scheduler.isRunning()).isFalse();
    }

    /** Submits a task from a bean that stops before the scheduler, and returns the failure, or null if it ran. */
    private @Nullable Throwable submissionDuringClose(Consumer<ThreadPoolTaskScheduler> settings) {
        AnnotationConfigApplicationContext context = context(
                settings,
                it -> it.registerBean(
                        LateSubmitter.class, () -> new LateSubmitter(it.getBean(ThreadPoolTaskScheduler.class))));
        var submitter = context.getBean(LateSubmitter.class);

        context.close();

        assertThat(submitter.outcome).isDone();
        return submitter.outcome.handle((result, failure) -> failure).join();
    }

    /** Gives the scheduler a task when the close has begun, and waits for it. */
    private static final class LateSubmitter implements SmartLifecycle {

        private final ThreadPoolTaskScheduler scheduler;
        private final CompletableFuture<String> outcome = new CompletableFuture<>();
        private volatile boolean running;

        LateSubmitter(ThreadPoolTaskScheduler scheduler) {
            this.scheduler = scheduler;
        }

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            try {
                outcome.complete(scheduler.submit(() -> "ran").get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
            } catch (Exception e) {
                outcome.completeExceptionally(e);
            }
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }
}
