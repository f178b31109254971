package io.github.wheelscheduler.spring.task;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.MissedRuns;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.testing.LogCapture;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MissedRunsLogTest {

    private static final Duration PERIOD = Duration.ofMillis(1);
    private static final int RUNS = 20;

    /** Each run takes longer than two periods, so each is followed by one that is missed. */
    private static void takeTwoPeriods() {
        long startNanos = System.nanoTime();
        while (System.nanoTime() - startNanos < 2 * PERIOD.toNanos() + 1) {
            Thread.onSpinWait();
        }
    }

    @Test
    void streakOfMissedRunsIsLoggedOnceAndCountedToTheEnd() throws Exception {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        try (LogCapture log = LogCapture.of(WheelTaskScheduler.class)) {
            scheduler.initialize();
            AtomicLong told = new AtomicLong();
            scheduler.getTaskRegistry().addListener(new TaskListener() {
                @Override
                public void missed(String id, long runs) {
                    told.addAndGet(runs);
                }
            });
            CountDownLatch runs = new CountDownLatch(RUNS);
            ScheduledFuture<?> future = scheduler
                    .getTaskRegistry()
                    .schedule(
                            "slow",
                            () -> {
                                takeTwoPeriods();
                                runs.countDown();
                            },
                            TaskSchedule.fixedRate(PERIOD),
                            TaskSettings.builder().missedRuns(MissedRuns.LATEST).build());
            assertThat(runs.await(60, TimeUnit.SECONDS)).isTrue();
            awaitThat(() -> log.said("Task slow has missed").size() == 1);
            assertThat(scheduler.getTaskRegistry().get("slow").missed()).isGreaterThanOrEqualTo(RUNS - 2);
            assertThat(told.get()).isGreaterThanOrEqualTo(RUNS - 2);
            assertThat(future.cancel(false)).isTrue();
        } finally {
            scheduler.shutdown();
        }
    }

    @Test
    void tasksThatMissRunsAreCountedInOneLineAMinute() {
        int tasks = 200;
        Duration rate = Duration.ofMillis(20);
        AtomicLong runs = new AtomicLong();
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        scheduler.setMaxCatchUp(0);
        try (LogCapture log = LogCapture.of(WheelTaskScheduler.class)) {
            scheduler.initialize();
            for (int i = 0; i < tasks; i++) {
                ScheduledFuture<?> ignored = scheduler
                        .getTaskRegistry()
                        .schedule("task-" + i, runs::incrementAndGet, TaskSchedule.fixedRate(rate));
            }
            for (int pause = 0; pause < 3; pause++) {
                missRuns(scheduler, rate);
                awaitThat(() ->
                        scheduler.getTaskRegistry().list(0, tasks).stream().allMatch(task -> task.missed() > 0));
            }
            awaitThat(() -> !log.said(" not caught up; ").isEmpty());
            scheduler.shutdown();
            // One a second after the first, and the rest when the scheduler ends.
            assertThat(log.said(" not caught up; ")).hasSizeBetween(1, 2);
            assertThat(log.said(" not caught up; ").get(0))
                    .matches(".*Tasks have fallen behind \\d{2,} times, and missed \\d+ runs, which are not caught up; "
                            + "the first are task-\\d+, its fixed-rate is 20 ms; .*; and others. Unless "
                            + "the process .*");
        } finally {
            scheduler.shutdown();
        }
    }

    @Test
    void taskPausedAfterFailuresReportsNoMissedRuns() {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        scheduler.setMaxCatchUp(0);
        scheduler.setErrorHandler(failure -> {});
        try (LogCapture log = LogCapture.of(WheelTaskScheduler.class)) {
            scheduler.initialize();
            ScheduledFuture<?> ignored = scheduler
                    .getTaskRegistry()
                    .schedule(
                            "failing",
                            () -> {
                                throw new IllegalStateException("meant");
                            },
                            TaskSchedule.fixedRate(Duration.ofMillis(20)),
                            TaskSettings.builder().pauseAfterFailures(1).build());
            awaitThat(() -> scheduler.getTaskRegistry().get("failing").failures() == 1);
            missRuns(scheduler, Duration.ofMillis(20));
            awaitThat(() -> scheduler.getTaskRegistry().get("failing").missed() > 0);
            scheduler.shutdown();
            assertThat(log.said(" not caught up; ")).isEmpty();
        } finally {
            scheduler.shutdown();
        }
    }

    private static void missRuns(WheelTaskScheduler scheduler, Duration rate) {
        scheduler.stop();
        awaitThat(() ->
                scheduler.getWheelScheduledExecutor().snapshot().oldestReady().compareTo(rate.multipliedBy(10)) > 0);
        scheduler.start();
    }
}
