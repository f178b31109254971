package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.BackOff;
import io.github.wheelscheduler.spring.settings.MissedRuns;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskListener;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.PeriodicTrigger;

/**
 * One suite in real time and in virtual time, whose logs of runs must be the same: which run of which task came how
 * often, in which order within a task, and to which end. What lies between two lines of a task is a tenth of a second,
 * and nothing else is promised about time here, so a slow machine gives the same log.
 */
abstract class BothTimesContract {

    private static final Duration STEP = Duration.ofMillis(100);

    private final Map<String, List<String>> log = new ConcurrentHashMap<>();

    abstract WheelTaskScheduler scheduler();

    abstract Instant now();

    /** Lets time pass until the latch is open. */
    abstract void awaitEnd(CountDownLatch end) throws InterruptedException;

    private void note(String task, String what) {
        log.computeIfAbsent(task, name -> Collections.synchronizedList(new ArrayList<>()))
                .add(what);
    }

    /** The errors of each task are in order; those of two tasks may come side by side. */
    private void noteFailure(String message) {
        note("errors of " + message.substring(0, message.indexOf(' ')), message.substring(message.indexOf(' ') + 1));
    }

    @Test
    void logOfRunsIsTheSame() throws Exception {
        WheelTaskScheduler scheduler = scheduler();
        scheduler.setErrorHandler(failure -> noteFailure(String.valueOf(failure.getMessage())));
        CountDownLatch end = new CountDownLatch(9);
        series(scheduler, "rate", TaskSchedule.fixedRate(STEP), TaskSettings.NONE, 5, end);
        series(scheduler, "delay", TaskSchedule.fixedDelay(STEP), TaskSettings.NONE, 5, end);
        series(scheduler, "trigger", TaskSchedule.trigger(new PeriodicTrigger(STEP)), TaskSettings.NONE, 4, end);
        series(
                scheduler,
                "latest",
                TaskSchedule.fixedRate(STEP),
                TaskSettings.builder().missedRuns(MissedRuns.LATEST).build(),
                4,
                end);
        failing(scheduler, end);
        pausing(scheduler, end);
        ScheduledFuture<?> once = scheduler.schedule(
                () -> {
                    note("once", "ran");
                    end.countDown();
                },
                now().plus(STEP));
        ScheduledFuture<?> never = scheduler.schedule(() -> note("never", "ran"), now().plus(STEP.multipliedBy(4)));
        boolean cancelled = never.cancel(false);
        note("never", "cancelled " + cancelled);
        disabled(scheduler, end);
        ScheduledFuture<?> nested = scheduler.schedule(
                () -> {
                    note("nested", "outer");
                    ScheduledFuture<?> ignored = scheduler.schedule(
                            () -> {
                                note("nested", "inner");
                                end.countDown();
                            },
                            now().plus(STEP));
                },
                now().plus(STEP));
        awaitEnd(end);
        assertThat(once.isDone()).isTrue();
        assertThat(nested.isDone()).isTrue();
        assertThat(log)
                .containsOnly(
                        Map.entry("rate", List.of("1", "2", "3", "4", "5", "over true")),
                        Map.entry("delay", List.of("1", "2", "3", "4", "5", "over true")),
                        Map.entry("trigger", List.of("1", "2", "3", "4", "over true")),
                        Map.entry("latest", List.of("1", "2", "3", "4", "over true")),
                        Map.entry("failing", List.of("1", "2", "3", "over true")),
                        Map.entry("errors of failing", List.of("1", "2")),
                        Map.entry("errors of pausing", List.of("1", "2")),
                        Map.entry("pausing", List.of("1", "2", "paused", "3")),
                        Map.entry("once", List.of("ran")),
                        Map.entry("never", List.of("cancelled true")),
                        Map.entry("disabled", List.of("by hand")),
                        Map.entry("nested", List.of("outer", "inner")));
    }

    private void series(
            WheelTaskScheduler scheduler,
            String name,
            TaskSchedule schedule,
            TaskSettings settings,
            int runs,
            CountDownLatch end) {
        int[] seen = new int[1];
        ScheduledFuture<?>[] future = new ScheduledFuture<?>[1];
        CountDownLatch isSet = new CountDownLatch(1);
        future[0] = scheduler
                .getTaskRegistry()
                .schedule(
                        name,
                        () -> {
                            if (seen[0] < runs) {
                                note(name, String.valueOf(++seen[0]));
                            }
                            if (seen[0] == runs) {
                                seen[0]++;
                                awaitOpen(isSet);
                                note(name, "over " + future[0].cancel(false));
                                end.countDown();
                            }
                        },
                        schedule,
                        settings);
        isSet.countDown();
    }

    private void failing(WheelTaskScheduler scheduler, CountDownLatch end) {
        TaskSettings settings =
                TaskSettings.builder().backOff(BackOff.of(STEP.multipliedBy(2))).build();
        int[] seen = new int[1];
        ScheduledFuture<?>[] future = new ScheduledFuture<?>[1];
        CountDownLatch isSet = new CountDownLatch(1);
        future[0] = scheduler
                .getTaskRegistry()
                .schedule(
                        "failing",
                        () -> {
                            note("failing", String.valueOf(++seen[0]));
                            if (seen[0] < 3) {
                                throw new IllegalStateException("failing " + seen[0]);
                            }
                            awaitOpen(isSet);
                            note("failing", "over " + future[0].cancel(false));
                            end.countDown();
                        },
                        TaskSchedule.fixedRate(STEP),
                        settings);
        isSet.countDown();
    }

    private void pausing(WheelTaskScheduler scheduler, CountDownLatch end) {
        int[] seen = new int[1];
        TaskSettings settings = TaskSettings.builder()
                .pauseAfterFailures(2)
                .initialDelay(STEP.multipliedBy(12))
                .build();
        ScheduledFuture<?> ignored = scheduler
                .getTaskRegistry()
                .schedule(
                        "pausing",
                        () -> {
                            if (seen[0] == 3) {
                                return;
                            }
                            note("pausing", String.valueOf(++seen[0]));
                            if (seen[0] < 3) {
                                throw new IllegalStateException("pausing " + seen[0]);
                            }
                            end.countDown();
                        },
                        TaskSchedule.fixedRate(STEP),
                        settings);
        scheduler.getTaskRegistry().addListener(new TaskListener() {
            @Override
            public void pausedAfterFailures(String id, long failures) {
                note(id, "paused");
                ScheduledFuture<?> ignored = scheduler.schedule(
                        () -> scheduler.getTaskRegistry().trigger("pausing"), now().plus(STEP.multipliedBy(3)));
            }
        });
    }

    private void disabled(WheelTaskScheduler scheduler, CountDownLatch end) {
        ScheduledFuture<?> ignored = scheduler
                .getTaskRegistry()
                .schedule(
                        "disabled",
                        () -> {
                            note("disabled", "by hand");
                            end.countDown();
                        },
                        TaskSchedule.fixedRate(STEP),
                        TaskSettings.builder().enabled(false).build());
        scheduler.getTaskRegistry().trigger("disabled");
    }

    private static void awaitOpen(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException ex) {
            throw new AssertionError(ex);
        }
    }
}
