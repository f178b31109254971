package io.github.wheelscheduler.spring.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pausing and resuming: while stopped nothing starts, and after a start nothing is lost. */
abstract class PauseContract extends SchedulerFixture {

    PauseContract(SchedulerFactory factory) {
        super(factory);
    }

    @Test
    void stopAndStartShowInTheState() {
        var scheduler = started();
        assertThat(scheduler.isRunning()).isTrue();

        scheduler.stop();
        assertThat(scheduler.isRunning()).isFalse();
        scheduler.stop();
        assertThat(scheduler.isRunning()).isFalse();

        scheduler.start();
        assertThat(scheduler.isRunning()).isTrue();
        scheduler.start();
        assertThat(scheduler.isRunning()).isTrue();
    }

    @Test
    void tasksOfAPausedSchedulerStartAfterResuming() {
        var scheduler = started();
        scheduler.stop();
        Map<TaskKind, RecordingTask> tasks = new EnumMap<>(TaskKind.class);

        for (TaskKind kind : TaskKind.values()) {
            var task = new RecordingTask();
            tasks.put(kind, task);
            kind.start(scheduler, task);
        }
        staysTrue(() -> tasks.values().stream().noneMatch(RecordingTask::hasRun));
        scheduler.start();

        tasks.values().forEach(task -> task.awaitRuns(1));
    }

    @Test
    void taskDueDuringAPauseRunsOnceAfterIt() {
        var scheduler = started();
        Instant instant = Instant.now().plusMillis(200);
        List<RecordingTask> tasks = new ArrayList<>();
        List<ScheduledFuture<?>> futures = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            var task = new RecordingTask();
            tasks.add(task);
            futures.add(scheduler.schedule(task, instant));
        }

        scheduler.stop();
        assumeStillBefore(instant);
        await().until(() -> futures.get(99).getDelay(TimeUnit.NANOSECONDS) < 0);
        staysTrue(() -> tasks.stream().noneMatch(RecordingTask::hasRun));
        scheduler.start();

        tasks.forEach(task -> task.awaitRuns(1));
        staysTrue(() -> tasks.stream().allMatch(task -> task.runs() == 1));
    }

    @ParameterizedTest
    @EnumSource(names = {"FIXED_RATE", "FIXED_DELAY", "TRIGGER"})
    void aSeriesRestsDuringAPauseAndGoesOnAfterIt(TaskKind kind) {
        var scheduler = started();
        var task = new RecordingTask();
        kind.start(scheduler, task);
        task.awaitRuns(2);

        stopAndAwaitIdle(scheduler::stop);
        int runs = task.runs();
        staysTrue(() -> task.runs() == runs);
        scheduler.start();

        task.awaitRuns(runs + 3);
        assertThat(task.mostAtOnce()).isEqualTo(1);
    }

    @Test
    void stoppingAnIdleSchedulerCallsBackAtOnce() {
        var scheduler = started();
        var calledBack = new CompletableFuture<Boolean>();

        scheduler.stop(() -> calledBack.complete(scheduler.isRunning()));

        assertThat(calledBack).succeedsWithin(PATIENCE).isEqualTo(false);
    }

    @Test
    void tasksThatOnlyWaitDoNotDelayTheCallback() {
        var scheduler = started();
        var unused = scheduler.schedule(() -> {}, Instant.now().plus(AN_HOUR));
        var callbacks = new AtomicInteger();

        scheduler.stop(callbacks::incrementAndGet);
        await().until(() -> callbacks.get() == 1);
        scheduler.execute(() -> {});
        scheduler.stop(callbacks::incrementAndGet);

        await().until(() -> callbacks.get() == 2);
        staysTrue(() -> callbacks.get() == 2);
    }

    @Test
    void stoppingABusySchedulerCallsBackAfterTheLastRun() {
        var scheduler = started();
        var first = new HeldTask();
        var second = new HeldTask();
        scheduler.execute(first);
        var unused = scheduler.scheduleAtFixedRate(second, AN_HOUR);
        first.awaitStart();
        second.awaitStart();
        var callbacks = new AtomicInteger();

        scheduler.stop(callbacks::incrementAndGet);

        staysTrue(() -> callbacks.get() == 0);
        first.release();
        first.awaitEnd();
        staysTrue(() -> callbacks.get() == 0);
        second.release();
        second.awaitEnd();
        await().until(() -> callbacks.get() == 1);
        staysTrue(() -> callbacks.get() == 1);
        assertThat(scheduler.isRunning()).isFalse();
    }

    @Test
    void pausedSchedulerCanBeShutDown() {
        var scheduler = started();
        scheduler.stop();
        for (TaskKind kind : TaskKind.values()) {
            kind.start(scheduler, () -> {});
        }

        scheduler.shutdown();

        awaitTermination(scheduler);
    }

    @Test
    void callbackComesAfterAFailedRunToo() {
        var scheduler = started(it -> it.setErrorHandler(failure -> {}));
        var held = new HeldTask();
        scheduler.execute(() -> {
            held.run();
            throw new IllegalStateException("fails while the scheduler stops");
        });
        held.awaitStart();
        var callbacks = new AtomicInteger();

        scheduler.stop(callbacks::incrementAndGet);
        held.release();

        await().until(() -> callbacks.get() == 1);
    }

    private static void stopAndAwaitIdle(Consumer<Runnable> stop) {
        var idle = new CompletableFuture<Boolean>();
        stop.accept(() -> idle.complete(true));
        assertThat(idle).succeedsWithin(PATIENCE);
    }
}
