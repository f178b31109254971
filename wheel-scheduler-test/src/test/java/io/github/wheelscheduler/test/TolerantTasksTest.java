package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.JitterKind;
import io.github.wheelscheduler.spring.settings.MissedRuns;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.Seed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.PeriodicTrigger;

/**
 * Tasks that may start late: when their runs start, in virtual time, whose monotonic clock begins on a multiple of each
 * tolerance here.
 */
@ExtendWith(VirtualTimeExtension.class)
class TolerantTasksTest {

    private static TaskSettings tolerance(Duration tolerance) {
        return TaskSettings.builder().startTolerance(tolerance).build();
    }

    private static WheelTaskScheduler tolerating(VirtualTime time, Duration tolerance) {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        scheduler.setStartTolerance(tolerance);
        time.drive(scheduler);
        scheduler.initialize();
        return scheduler;
    }

    private static List<Long> millisOf(
            VirtualTime time, WheelTaskScheduler scheduler, String id, TaskSchedule schedule, TaskSettings settings) {
        List<Long> runs = new ArrayList<>();
        Runnable task = () ->
                runs.add(Duration.between(VirtualTime.DEFAULT_START, time.now()).toMillis());
        ScheduledFuture<?> ignored = scheduler.getTaskRegistry().schedule(id, task, schedule, settings);
        return runs;
    }

    private static TaskSchedule rate(long millis) {
        return TaskSchedule.fixedRate(Duration.ofMillis(millis));
    }

    private static TaskSchedule cron(String expression) {
        return TaskSchedule.trigger(new CronTrigger(expression));
    }

    @Test
    void taskOverridesItsScheduler(VirtualTime time) {
        WheelTaskScheduler scheduler = tolerating(time, Duration.ofMillis(400));
        time.advanceBy(Duration.ofMillis(100));
        List<Long> usual = millisOf(time, scheduler, "usual", rate(1_000), TaskSettings.NONE);
        List<Long> own = millisOf(time, scheduler, "own", rate(1_000), tolerance(Duration.ofMillis(250)));
        List<Long> exact = millisOf(time, scheduler, "exact", rate(1_000), tolerance(Duration.ZERO));
        time.advanceBy(Duration.ofMillis(2_300));
        assertThat(usual).containsExactly(100L, 1_200L, 2_400L);
        assertThat(own).containsExactly(100L, 1_250L, 2_250L);
        assertThat(exact).containsExactly(100L, 1_100L, 2_100L);
    }

    @Test
    void taskToleratesWhereItsSchedulerDoesNot(VirtualTime time) {
        WheelTaskScheduler scheduler = time.newScheduler();
        time.advanceBy(Duration.ofMillis(100));
        List<Long> own = millisOf(
                time,
                scheduler,
                "own",
                TaskSchedule.fixedDelay(Duration.ofSeconds(1)),
                tolerance(Duration.ofMillis(250)));
        time.advanceBy(Duration.ofMillis(2_900));
        // Due at 100, 1100 and 2250, as a delay counts from the end of a run.
        assertThat(own).containsExactly(100L, 1_250L, 2_250L);
    }

    @Test
    void groupToleratesWhatItsSchedulerDoes(VirtualTime time) {
        WheelTaskScheduler scheduler = tolerating(time, Duration.ofMillis(400));
        time.advanceBy(Duration.ofMillis(100));
        List<List<Long>> runs = new ArrayList<>();
        for (Duration own : new Duration[] {null, Duration.ZERO}) {
            WheelTaskScheduler group = new WheelTaskScheduler();
            group.setGroupOf(scheduler, "group-" + own, 8, OnFull.WAIT);
            if (own != null) {
                group.setStartTolerance(own);
            }
            group.initialize();
            time.drive(group);
            runs.add(millisOf(time, group, "task", rate(1_000), TaskSettings.NONE));
        }
        time.advanceBy(Duration.ofMillis(1_500));
        assertThat(runs.get(0)).containsExactly(100L, 1_200L);
        assertThat(runs.get(1)).containsExactly(100L, 1_100L);
    }

    @Test
    void retimedTaskToleratesByItsNewPeriod(VirtualTime time) {
        WheelTaskScheduler scheduler = time.newScheduler();
        time.advanceBy(Duration.ofMillis(100));
        List<Long> runs = millisOf(time, scheduler, "task", rate(60_000), tolerance(Duration.ofSeconds(8)));
        scheduler.getTaskRegistry().retime("task", rate(4_100));
        runs.clear();
        time.advanceBy(Duration.ofSeconds(9));
        // Due at 4200 and 8300.
        assertThat(runs).endsWith(6_000L).doesNotContain(4_200L);
        time.advanceBy(Duration.ofSeconds(1));
        assertThat(runs).endsWith(10_000L);
    }

    // Calendars

    @Test
    void cronStartsBeforeItsNextInstant(VirtualTime time) {
        WheelTaskScheduler scheduler = time.newScheduler();
        time.advanceBy(Duration.ofMillis(100));
        List<Long> runs = millisOf(time, scheduler, "task", cron("*/10 * * * * *"), tolerance(Duration.ofSeconds(32)));
        time.advanceBy(Duration.ofSeconds(41));
        // Halved to 8 s, so that 10 starts at 16.
        assertThat(runs).containsExactly(16_000L, 24_000L, 32_000L, 40_000L);
        assertThat(scheduler.getTaskRegistry().get("task").missed()).isZero();
    }

    @Test
    void cronsAndRatesStartTogether(VirtualTime time) {
        WheelTaskScheduler scheduler = tolerating(time, Duration.ofMillis(700));
        time.advanceBy(Duration.ofMillis(250));
        List<Long> rate = millisOf(time, scheduler, "rate", rate(2_000), TaskSettings.NONE);
        List<Long> cron = millisOf(time, scheduler, "cron", cron("*/2 * * * * *"), TaskSettings.NONE);
        time.advanceBy(Duration.ofMillis(8_300));
        // Due at 2250, 4250, 6250, 8250, and at whole seconds.
        assertThat(rate).containsExactly(250L, 2_800L, 4_900L, 6_300L, 8_400L);
        assertThat(cron).containsExactly(2_100L, 4_200L, 6_300L, 8_400L);
    }

    @Test
    void skippingCronToleratesMoreThanItsGrace(VirtualTime time) {
        WheelTaskScheduler scheduler = time.newScheduler();
        List<Long> runs = millisOf(
                time,
                scheduler,
                "task",
                cron("0 * * * * *"),
                TaskSettings.builder()
                        .startTolerance(Duration.ofSeconds(50))
                        .missedRuns(MissedRuns.SKIP)
                        .build());
        time.advanceBy(Duration.ofSeconds(260));
        assertThat(runs).containsExactly(100_000L, 150_000L, 200_000L, 250_000L);
        assertThat(scheduler.getTaskRegistry().get("task").missed()).isZero();
    }

    @Test
    void periodicTriggerToleratesHalfOfItsPeriod(VirtualTime time) {
        WheelTaskScheduler scheduler = tolerating(time, Duration.ofMillis(800));
        time.advanceBy(Duration.ofMillis(100));
        PeriodicTrigger trigger = new PeriodicTrigger(Duration.ofSeconds(1));
        trigger.setFixedRate(true);
        List<Long> runs = millisOf(time, scheduler, "task", TaskSchedule.trigger(trigger), TaskSettings.NONE);
        time.advanceBy(Duration.ofMillis(2_200));
        // Due at 100, 1100 and 2100.
        assertThat(runs).containsExactly(100L, 1_200L);
        time.advanceBy(Duration.ofMillis(100));
        assertThat(runs).endsWith(2_400L);
    }

    @Test
    void usersOwnTriggerToleratesWhatItsTaskSays(VirtualTime time) {
        WheelTaskScheduler scheduler = tolerating(time, Duration.ofMillis(400));
        List<Long> usual = millisOf(time, scheduler, "usual", ownTrigger(), TaskSettings.NONE);
        List<Long> own = millisOf(time, scheduler, "own", ownTrigger(), tolerance(Duration.ofMillis(400)));
        time.advanceBy(Duration.ofMillis(500));
        assertThat(usual).containsExactly(100L);
        assertThat(own).containsExactly(400L);
    }

    private static TaskSchedule ownTrigger() {
        return TaskSchedule.trigger(
                context -> context.lastCompletion() == null ? VirtualTime.DEFAULT_START.plusMillis(100) : Instant.MAX);
    }

    // Beside other settings

    @ParameterizedTest
    @EnumSource(JitterKind.class)
    void jitterAndToleranceDoNotReachTheNextRun(JitterKind kind, VirtualTime time) {
        WheelTaskScheduler scheduler = time.newScheduler();
        List<Long> runs = millisOf(
                time,
                scheduler,
                "task",
                rate(1_000),
                TaskSettings.builder()
                        .jitter(Duration.ofMinutes(1))
                        .jitterKind(kind)
                        .startTolerance(Duration.ofMillis(250))
                        .build());
        time.advanceBy(Duration.ofSeconds(100));
        assertThat(runs).hasSizeBetween(99, 101).allMatch(millis -> millis % 250 == 0);
        for (int i = 0; i < runs.size(); i++) {
            assertThat(runs.get(i) - 1_000L * i).isBetween(0L, 1_000L);
        }
        assertThat(scheduler.getTaskRegistry().get("task").missed()).isZero();
    }

    @ParameterizedTest
    @EnumSource(MissedRuns.class)
    void missedRunsAreCountedFromWhenTheyWereDue(MissedRuns policy, VirtualTime time) {
        for (long suspended = 900; suspended <= 3_600; suspended += 150) {
            List<List<Long>> runs = new ArrayList<>();
            for (Duration tolerance : List.of(Duration.ZERO, Duration.ofMillis(500))) {
                WheelTaskScheduler scheduler = time.newScheduler();
                Instant start = time.now();
                List<Long> each = millisOf(
                        time,
                        scheduler,
                        "task",
                        rate(1_000),
                        TaskSettings.builder()
                                .missedRuns(policy)
                                .startTolerance(tolerance)
                                .build());
                time.advanceBy(Duration.ofMillis(20));
                each.clear();
                time.suspend(Duration.ofMillis(suspended));
                runs.add(each.stream()
                        .map(run -> Duration.between(start, VirtualTime.DEFAULT_START.plusMillis(run))
                                .toMillis())
                        .toList());
                scheduler.shutdown();
                time.advanceTo(start.plusSeconds(10));
            }
            assertThat(runs.get(1)).as("after %d ms", suspended).hasSameSizeAs(runs.get(0));
        }
    }

    @Test
    void triggeredRunWaitsForNothing(VirtualTime time) {
        WheelTaskScheduler scheduler = tolerating(time, Duration.ofMillis(400));
        List<Long> runs = millisOf(time, scheduler, "task", rate(1_000), TaskSettings.NONE);
        time.advanceBy(Duration.ofMillis(150));
        scheduler.getTaskRegistry().trigger("task");
        time.runCurrent();
        assertThat(runs).containsExactly(0L, 150L);
    }

    @Test
    void pausedTaskSkipsAndResumesInPhase(VirtualTime time) {
        WheelTaskScheduler scheduler = tolerating(time, Duration.ofMillis(400));
        time.advanceBy(Duration.ofMillis(100));
        List<Long> runs = millisOf(time, scheduler, "task", rate(1_000), TaskSettings.NONE);
        TaskRegistry registry = scheduler.getTaskRegistry();
        time.advanceBy(Duration.ofMillis(50));
        registry.pause("task");
        // Due at 1100, which starts at 1200 at the earliest.
        time.advanceBy(Duration.ofSeconds(1));
        registry.resume("task");
        time.advanceBy(Duration.ofMillis(1_300));
        assertThat(runs).containsExactly(100L, 1_200L, 2_400L);
    }

    // What is seen

    @Test
    void taskIsLateAfterItsToleranceOnly(VirtualTime time) {
        WheelTaskScheduler scheduler = tolerating(time, Duration.ofMillis(400));
        TaskRegistry registry = scheduler.getTaskRegistry();
        registry.setOverdueGrace(0, Duration.ZERO);
        time.advanceBy(Duration.ofMillis(100));
        List<Long> runs = millisOf(time, scheduler, "task", rate(1_000), TaskSettings.NONE);
        time.advanceBy(Duration.ofMillis(1_050));
        TaskInfo seen = registry.get("task");
        // Due at 1100, starts at 1200.
        assertThat(runs).containsExactly(100L);
        assertThat(seen.next()).isEqualTo(VirtualTime.DEFAULT_START.plusMillis(1_100));
        assertThat(seen.lateBy()).isZero();
        assertThat(seen.overdue()).isFalse();
        assertThat(registry.overdue()).isZero();
        time.advanceBy(Duration.ofMillis(100));
        assertThat(runs).hasSize(2);
        assertThat(registry.get("task").recent())
                .allSatisfy(run -> assertThat(run.lateness()).isZero());
        scheduler.stop();
        // Due at 2100, late from 2500 on.
        time.advanceBy(Duration.ofMillis(1_450));
        assertThat(registry.get("task").lateBy()).isEqualTo(Duration.ofMillis(200));
    }

    @Test
    void toleranceIsShownWithTheSettings(VirtualTime time) {
        WheelTaskScheduler scheduler = time.newScheduler();
        List<Long> ignored = millisOf(time, scheduler, "task", rate(1_000), tolerance(Duration.ofMillis(250)));
        assertThat(scheduler.getTaskRegistry().get("task").settings().toMap())
                .containsEntry("start-tolerance", "PT0.25S");
    }

    @Test
    void delayOfTheFutureIsThatOfTheDueTime(VirtualTime time) {
        WheelTaskScheduler scheduler = tolerating(time, Duration.ofMillis(400));
        ScheduledFuture<?> future =
                scheduler.scheduleAtFixedRate(() -> {}, time.now().plusMillis(100), Duration.ofSeconds(1));
        assertThat(future.getDelay(TimeUnit.MILLISECONDS)).isEqualTo(100);
    }

    @Test
    void randomTasksStartWithinTheirTolerance(VirtualTime time) {
        Seed.play(random -> {
            for (int i = 0; i < 20; i++) {
                WheelTaskScheduler scheduler = tolerating(time, Duration.ofMillis(random.nextInt(3_000)));
                long period = 10 + random.nextLong(5_000);
                Long own = random.nextBoolean() ? random.nextLong(10_000) : null;
                Instant first = time.now().plusMillis(random.nextLong(1, 5_000));
                List<Long> starts = new ArrayList<>();
                ScheduledFuture<?> ignored = scheduler
                        .getTaskRegistry()
                        .schedule(
                                "task",
                                () -> starts.add(
                                        Duration.between(first, time.now()).toMillis()),
                                rate(period),
                                TaskSettings.builder()
                                        .initialDelay(Duration.between(time.now(), first))
                                        .startTolerance(own == null ? null : Duration.ofMillis(own))
                                        .build());
                time.advanceBy(Duration.ofMillis(5_000 + 10 * period));
                long wanted = own == null
                        ? scheduler.getWheelScheduledExecutor().startTolerance().toMillis()
                        : own;
                assertThat(starts).hasSizeGreaterThan(8);
                for (int run = 0; run < starts.size(); run++) {
                    assertThat(starts.get(run) - run * period)
                            .as("run %d of period %d with %d ms", run, period, wanted)
                            .isBetween(0L, Math.min(wanted, period / 2) + 1);
                }
                scheduler.shutdown();
            }
        });
    }
}
