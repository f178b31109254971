package io.github.wheelscheduler.internal.spring.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.internal.spring.run.LogTime;
import io.github.wheelscheduler.internal.spring.run.RunFailures;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.commons.logging.impl.NoOpLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A task that is paused for its failures is resumed while a run that was asked for fails once more. */
class ResumeAgainstFailureTest {

    private static final int ROUNDS = 20_000;

    private final ExecutorService threads = Executors.newSingleThreadExecutor();

    @AfterEach
    void shutdown() {
        threads.shutdownNow();
    }

    @Test
    void failureAfterAResumeCountsAsTheFirst() throws Exception {
        LogTime time = new LogTime(() -> 0, summary -> {}, never -> new Thread());
        SchedulerWarnings warnings = new SchedulerWarnings(new NoOpLog(), () -> "", time);
        TaskStore book = new TaskStore(
                new TaskTimers(new WheelTaskScheduler(), new RunFailures(time)),
                new TaskEvents(warnings, (id, failures) -> {}));
        TaskSettings settings = TaskSettings.builder().pauseAfterFailures(2).build();
        CyclicBarrier step = new CyclicBarrier(2);
        AtomicReference<TaskSeries> current = new AtomicReference<>();
        Future<?> failing = threads.submit(() -> {
            for (int i = 0; i < ROUNDS; i++) {
                step.await(30, TimeUnit.SECONDS);
                fail(Objects.requireNonNull(current.get()));
                step.await(30, TimeUnit.SECONDS);
            }
            return null;
        });
        for (int i = 0; i < ROUNDS; i++) {
            TaskSeries task = new TaskSeries(
                    book,
                    "task",
                    () -> {},
                    TaskInfo.Origin.NAMED,
                    new SettledSchedule(TaskSchedule.fixedRate(Duration.ofHours(1)), null, settings));
            fail(task);
            fail(task);
            assertThat(task.isPausedAfterFailures()).isTrue();
            current.set(task);
            step.await(30, TimeUnit.SECONDS);
            task.resume();
            step.await(30, TimeUnit.SECONDS);
            assertThat(task.isPausedAfterFailures()).isFalse();
        }
        assertThat(failing.get(30, TimeUnit.SECONDS)).isNull();
    }

    private static void fail(TaskSeries task) {
        task.runFailed(Objects.requireNonNull(task.rules));
    }
}
