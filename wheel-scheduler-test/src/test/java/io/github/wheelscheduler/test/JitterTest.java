package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.JitterKind;
import io.github.wheelscheduler.spring.settings.MissedRuns;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.scheduling.support.CronTrigger;

/** By how much runs are put off, exactly as {@link JitterKind} says: never early, within bounds, and in phase. */
@ExtendWith(VirtualTimeExtension.class)
class JitterTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    private static TaskSettings jitter(Duration most, JitterKind kind) {
        return TaskSettings.builder().jitter(most).jitterKind(kind).build();
    }

    private static List<Duration> runsOf(
            VirtualTime time, WheelTaskScheduler scheduler, String id, TaskSchedule schedule, TaskSettings settings) {
        List<Duration> runs = new ArrayList<>();
        ScheduledFuture<?> ignored = scheduler
                .getTaskRegistry()
                .schedule(
                        id,
                        () -> runs.add(Duration.between(VirtualTime.DEFAULT_START, time.now())),
                        schedule,
                        settings);
        return runs;
    }

    @Test
    void randomOneIsDrawnForEachRunAndThePhaseStays(VirtualTime time) {
        List<Duration> runs = runsOf(
                time,
                time.newScheduler(),
                "task",
                TaskSchedule.fixedRate(MINUTE),
                jitter(TEN_SECONDS, JitterKind.RANDOM));
        time.advanceBy(Duration.ofHours(10));
        assertThat(runs).hasSizeBetween(600, 601);
        Set<Duration> different = new HashSet<>();
        for (int i = 0; i < runs.size(); i++) {
            Duration putOff = runs.get(i).minus(MINUTE.multipliedBy(i));
            assertThat(putOff).isBetween(Duration.ZERO, TEN_SECONDS);
            different.add(putOff);
        }
        assertThat(different).hasSizeGreaterThan(550);
    }

    @Test
    void fixedJitterIsTheSameAfterARestart(VirtualTime time) {
        Duration onOne = fixedOf(time, "task", "node-1");
        assertThat(fixedOf(time, "task", "node-1")).isEqualTo(onOne);
        assertThat(fixedOf(time, "task", "node-2")).isNotEqualTo(onOne);
        assertThat(fixedOf(time, "other", "node-1")).isNotEqualTo(onOne);
    }

    private static Duration fixedOf(VirtualTime time, String id, String node) {
        WheelTaskScheduler scheduler = time.newScheduler();
        scheduler.setNode(node);
        Duration start = Duration.between(VirtualTime.DEFAULT_START, time.now());
        List<Duration> runs =
                runsOf(time, scheduler, id, TaskSchedule.fixedRate(MINUTE), jitter(TEN_SECONDS, JitterKind.FIXED));
        time.advanceBy(Duration.ofMinutes(5).minusSeconds(1));
        scheduler.shutdown();
        Duration first = runs.get(0).minus(start);
        assertThat(first).isBetween(Duration.ZERO, TEN_SECONDS);
        assertThat(runs).hasSize(5);
        for (int i = 0; i < 5; i++) {
            assertThat(runs.get(i)).isEqualTo(start.plus(first).plus(MINUTE.multipliedBy(i)));
        }
        return first;
    }

    @Test
    void equalPeriodsAreSpreadOverTheJitter(VirtualTime time) {
        WheelTaskScheduler scheduler = time.newScheduler();
        scheduler.setNode("node-1");
        int[] inEachSecond = new int[10];
        for (int i = 0; i < 1_000; i++) {
            List<Duration> runs = runsOf(
                    time,
                    scheduler,
                    "task-" + i,
                    TaskSchedule.fixedRate(MINUTE),
                    jitter(TEN_SECONDS, JitterKind.FIXED));
            ScheduledFuture<?> ignored = scheduler
                    .getTaskRegistry()
                    .schedule(
                            "after-" + i,
                            () -> inEachSecond[(int) runs.get(0).toSeconds()]++,
                            TaskSchedule.once(time.now().plusSeconds(11)));
        }
        time.advanceBy(Duration.ofSeconds(12));
        assertThat(Arrays.stream(inEachSecond).boxed())
                .allSatisfy(runs -> assertThat(runs).isBetween(60, 140));
    }

    @Test
    void cronIsPutOffWithoutLosingAnInstant(VirtualTime time) {
        List<Duration> runs = runsOf(
                time,
                time.newScheduler(),
                "task",
                TaskSchedule.trigger(new CronTrigger("0 * * * * *")),
                jitter(TEN_SECONDS, JitterKind.RANDOM));
        time.advanceBy(Duration.ofHours(1).plusSeconds(10));
        assertThat(runs).hasSize(60);
        for (int i = 0; i < 60; i++) {
            assertThat(runs.get(i).minus(MINUTE.multipliedBy(i + 1L))).isBetween(Duration.ZERO, TEN_SECONDS);
        }
    }

    @Test
    void oneThatIsLongerThanThePeriodIsCutToIt(VirtualTime time) {
        List<Duration> runs = runsOf(
                time,
                time.newScheduler(),
                "task",
                TaskSchedule.fixedRate(Duration.ofSeconds(1)),
                jitter(MINUTE, JitterKind.RANDOM));
        time.advanceBy(Duration.ofSeconds(100));
        assertThat(runs).hasSizeBetween(99, 101);
        for (int i = 0; i < runs.size(); i++) {
            assertThat(runs.get(i)).isBetween(Duration.ofSeconds(i), Duration.ofSeconds(i + 1L));
        }
    }

    @Test
    void runThatIsPutOffIsNotLate(VirtualTime time) {
        WheelTaskScheduler scheduler = time.newScheduler();
        List<Duration> runs =
                runsOf(time, scheduler, "task", TaskSchedule.fixedRate(MINUTE), jitter(TEN_SECONDS, JitterKind.RANDOM));
        time.advanceBy(Duration.ofMinutes(5));
        assertThat(runs).hasSizeGreaterThan(4);
        assertThat(scheduler.getTaskRegistry().get("task").recent())
                .allSatisfy(run -> assertThat(run.lateness()).isZero());
        assertThat(scheduler.getTaskRegistry().get("task").missed()).isZero();
    }

    @Test
    void cronPostponedBeyondItsIntervalLosesNoInstant(VirtualTime time) {
        List<Duration> runs = runsOf(
                time,
                time.newScheduler(),
                "task",
                TaskSchedule.trigger(new CronTrigger("* * * * * *")),
                jitter(TEN_SECONDS, JitterKind.RANDOM));
        time.advanceBy(Duration.ofMinutes(10));
        assertThat(runs).hasSizeBetween(599, 600).isSorted();
    }

    @Test
    void jitterOfATaskThatIsRetimedIsThatOfItsNewPeriod(VirtualTime time) {
        WheelTaskScheduler scheduler = time.newScheduler();
        List<Duration> runs = runsOf(
                time,
                scheduler,
                "task",
                TaskSchedule.trigger(new CronTrigger("0 0 0 1 1 *")),
                jitter(Duration.ofMinutes(10), JitterKind.RANDOM));
        scheduler.getTaskRegistry().retime("task", TaskSchedule.fixedRate(Duration.ofSeconds(1)));
        time.advanceBy(Duration.ofSeconds(10));
        assertThat(runs).hasSizeBetween(9, 10);
        assertThat(scheduler.getTaskRegistry().get("task").missed()).isZero();
    }

    @Test
    void oneRunStandsForAllMissedThoughPostponed(VirtualTime time) {
        for (int i = 0; i < 100; i++) {
            WheelTaskScheduler scheduler = time.newScheduler();
            List<Duration> runs = runsOf(
                    time,
                    scheduler,
                    "task",
                    TaskSchedule.fixedRate(Duration.ofSeconds(5)),
                    TaskSettings.builder()
                            .jitter(Duration.ofSeconds(4))
                            .missedRuns(MissedRuns.LATEST)
                            .build());
            time.suspend(Duration.ofSeconds(22));
            Duration now = Duration.between(VirtualTime.DEFAULT_START, time.now());
            assertThat(runs.stream().filter(now::equals)).hasSizeLessThanOrEqualTo(1);
            scheduler.shutdown();
        }
    }

    @Test
    void triggerThatNamesTheEndOfTimeIsNotPutOff(VirtualTime time) {
        WheelTaskScheduler scheduler = time.newScheduler();
        List<Duration> runs = runsOf(
                time,
                scheduler,
                "task",
                TaskSchedule.trigger(context -> context.lastCompletion() == null ? time.now() : Instant.MAX),
                jitter(TEN_SECONDS, JitterKind.RANDOM));
        time.advanceBy(MINUTE);
        assertThat(runs).hasSize(1);
        assertThat(scheduler.getTaskRegistry().get("task").state()).isEqualTo(TaskInfo.State.PENDING);
    }
}
