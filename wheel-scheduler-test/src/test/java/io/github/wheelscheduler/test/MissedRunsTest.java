package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.MissedRuns;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.SkipReason;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.support.CronTrigger;

/** What becomes of runs that were missed, exactly as {@link MissedRuns} says. */
@ExtendWith(OutputCaptureExtension.class)
class MissedRunsTest {

    private static final Instant NOON = Instant.parse("2030-01-01T12:00:00Z");

    private final List<String> log = new ArrayList<>();

    private static TaskSettings of(@Nullable MissedRuns policy) {
        return TaskSettings.builder().missedRuns(policy).build();
    }

    private void schedule(
            WheelTaskScheduler scheduler, VirtualTime time, String id, TaskSchedule schedule, TaskSettings settings) {
        ScheduledFuture<?> ignored = scheduler
                .getTaskRegistry()
                .schedule(id, () -> log.add(time.now().toString().substring(11)), schedule, settings);
    }

    @ParameterizedTest
    @CsvSource({"CATCH_UP, 5, 0", "LATEST, 1, 4", "SKIP, 0, 5"})
    void aRateOfFiveSecondsThatWasStoppedForTwentyTwo(MissedRuns policy, int runs, int missed) {
        try (VirtualTime time = VirtualTime.startingAt(NOON, java.time.ZoneId.of("UTC"))) {
            WheelTaskScheduler scheduler = time.newScheduler();
            schedule(scheduler, time, "rate", TaskSchedule.fixedRate(Duration.ofSeconds(5)), of(policy));
            time.suspend(Duration.ofSeconds(22));
            assertThat(log).hasSize(runs).allMatch("12:00:22Z"::equals);
            log.clear();
            time.advanceBy(Duration.ofSeconds(10));
            assertThat(log).containsExactly("12:00:25Z", "12:00:30Z");
            assertThat(scheduler.getTaskRegistry().get("rate").missed()).isEqualTo(missed);
        }
    }

    @ParameterizedTest
    @CsvSource({"CATCH_UP, 11, 3589", ", 11, 3589", "LATEST, 1, 3599", "SKIP, 0, 3600"})
    void anHourOfAHundredRatesOfASecondIsCountedToTheRun(@Nullable MissedRuns policy, int runs, int missed) {
        try (VirtualTime time = VirtualTime.create()) {
            WheelTaskScheduler scheduler = time.newScheduler();
            Map<String, List<Instant>> seen = new HashMap<>();
            IntStream.range(0, 100).forEach(i -> {
                List<Instant> own = new ArrayList<>();
                seen.put("rate-" + i, own);
                TaskSettings settings = TaskSettings.builder()
                        .missedRuns(policy)
                        .initialDelay(Duration.ofMillis(500 + i))
                        .build();
                ScheduledFuture<?> ignored = scheduler
                        .getTaskRegistry()
                        .schedule(
                                "rate-" + i,
                                () -> own.add(time.now()),
                                TaskSchedule.fixedRate(Duration.ofSeconds(1)),
                                settings);
            });
            time.suspend(Duration.ofHours(1));
            Instant end = time.now();
            seen.forEach((id, own) -> {
                assertThat(own).as(id).hasSize(runs);
                own.clear();
            });
            time.advanceBy(Duration.ofSeconds(3));
            IntStream.range(0, 100).forEach(i -> {
                Instant phase = end.plusMillis(500 + i);
                assertThat(seen.get("rate-" + i)).containsExactly(phase, phase.plusSeconds(1), phase.plusSeconds(2));
                TaskInfo task = scheduler.getTaskRegistry().get("rate-" + i);
                assertThat(task.runs()).isEqualTo(runs + 3);
                assertThat(task.missed()).isEqualTo(missed);
            });
        }
    }

    @ParameterizedTest
    @CsvSource({", 1", "LATEST, 1", "SKIP, 0"})
    void aCronThatWasPassedOverByTheClockRunsOnceOrNotAtAll(@Nullable MissedRuns policy, int runs) {
        try (VirtualTime time = VirtualTime.startingAt(NOON, java.time.ZoneId.of("UTC"))) {
            WheelTaskScheduler scheduler = time.newScheduler();
            schedule(scheduler, time, "cron", TaskSchedule.trigger(everyTenMinutes()), of(policy));
            time.jumpWallClock(Duration.ofMinutes(35));
            time.runCurrent();
            assertThat(log).hasSize(runs).allMatch("12:35:00Z"::equals);
            log.clear();
            time.advanceBy(Duration.ofMinutes(15));
            assertThat(log).containsExactly("12:40:00Z", "12:50:00Z");
        }
    }

    private static org.springframework.scheduling.Trigger everyTenMinutes() {
        return new CronTrigger("0 */10 * * * *");
    }

    @ParameterizedTest
    @CsvSource({", 1, 59", "LATEST, 1, 59", "SKIP, 0, 60"})
    void instantsOfACronThatHavePassedAreCounted(@Nullable MissedRuns policy, int runs, int missed) {
        try (VirtualTime time = VirtualTime.startingAt(NOON, java.time.ZoneId.of("UTC"))) {
            WheelTaskScheduler scheduler = time.newScheduler();
            schedule(scheduler, time, "cron", TaskSchedule.trigger(new CronTrigger("0 * * * * *")), of(policy));
            time.suspend(Duration.ofHours(1));
            TaskRegistry registry = scheduler.getTaskRegistry();
            assertThat(registry.get("cron").runs()).isEqualTo(runs);
            assertThat(registry.get("cron").missed()).isEqualTo(missed);
            assertThat(registry.skips(SkipReason.MISSED)).isEqualTo(missed);

            time.advanceBy(Duration.ofMinutes(10));
            assertThat(registry.get("cron").runs()).isEqualTo(runs + 10);
            assertThat(registry.get("cron").missed()).isEqualTo(missed);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LATEST", "SKIP"})
    void instantsAreCountedUpToALimitAndTheLogSaysSo(MissedRuns policy, CapturedOutput output) {
        try (VirtualTime time = VirtualTime.startingAt(NOON, java.time.ZoneId.of("UTC"))) {
            WheelTaskScheduler scheduler = time.newScheduler();
            schedule(scheduler, time, "each", TaskSchedule.cron("* * * * * *"), of(policy));
            time.suspend(Duration.ofDays(1));
            assertThat(scheduler.getTaskRegistry().get("each").missed()).isEqualTo(1_000);
            assertThat(output).contains("each has missed at least 1000 runs");
        }
    }

    @Test
    void triggerOfAUserIsNotAskedWhatHasPassed() {
        try (VirtualTime time = VirtualTime.startingAt(NOON, java.time.ZoneId.of("UTC"))) {
            WheelTaskScheduler scheduler = time.newScheduler();
            List<Instant> asked = new ArrayList<>();
            schedule(
                    scheduler,
                    time,
                    "own",
                    TaskSchedule.trigger(context -> {
                        asked.add(time.now());
                        return time.now().plusSeconds(60);
                    }),
                    TaskSettings.NONE);
            time.suspend(Duration.ofHours(1));
            assertThat(scheduler.getTaskRegistry().get("own").missed()).isZero();
            assertThat(asked).containsExactly(NOON, NOON.plusSeconds(3_600));
        }
    }

    @Test
    void instantsThatPassWhileATaskIsPausedAreNotMissed() {
        try (VirtualTime time = VirtualTime.startingAt(NOON, java.time.ZoneId.of("UTC"))) {
            WheelTaskScheduler scheduler = time.newScheduler();
            schedule(scheduler, time, "cron", TaskSchedule.cron("0 * * * * *"), TaskSettings.NONE);
            scheduler.getTaskRegistry().pause("cron");
            time.suspend(Duration.ofHours(1));
            assertThat(scheduler.getTaskRegistry().get("cron").missed()).isZero();
        }
    }

    @Test
    void cronThatIsLateByFiveSecondsStillRuns() {
        try (VirtualTime time = VirtualTime.startingAt(NOON, java.time.ZoneId.of("UTC"))) {
            WheelTaskScheduler scheduler = time.newScheduler();
            schedule(scheduler, time, "cron", TaskSchedule.trigger(everyTenMinutes()), of(MissedRuns.SKIP));
            time.suspend(Duration.ofMinutes(10).plusSeconds(5));
            assertThat(log).containsExactly("12:10:05Z");
            time.suspend(Duration.ofMinutes(10).plusNanos(1));
            assertThat(log).hasSize(1);
            assertThat(scheduler.getTaskRegistry().get("cron").missed()).isEqualTo(1);
        }
    }

    @Test
    void stoppedSchedulerGoesOnInPhaseByPolicy() {
        try (VirtualTime time = VirtualTime.create()) {
            WheelTaskScheduler scheduler = time.newScheduler();
            Map<MissedRuns, List<Instant>> seen = new HashMap<>();
            for (MissedRuns policy : MissedRuns.values()) {
                List<Instant> own = new ArrayList<>();
                seen.put(policy, own);
                ScheduledFuture<?> ignored = scheduler
                        .getTaskRegistry()
                        .schedule(
                                policy.name(),
                                () -> own.add(time.now()),
                                TaskSchedule.fixedRate(Duration.ofSeconds(10)),
                                of(policy));
            }
            scheduler.stop();
            time.advanceBy(Duration.ofSeconds(35));
            assertThat(seen.values()).allMatch(List::isEmpty);
            scheduler.start();
            time.runCurrent();
            Instant restart = VirtualTime.DEFAULT_START.plusSeconds(35);
            assertThat(seen.get(MissedRuns.CATCH_UP)).hasSize(4).allMatch(restart::equals);
            assertThat(seen.get(MissedRuns.LATEST)).containsExactly(restart);
            assertThat(seen.get(MissedRuns.SKIP)).isEmpty();
            time.advanceBy(Duration.ofSeconds(5));
            assertThat(seen.values()).allSatisfy(own -> assertThat(own).last().isEqualTo(restart.plusSeconds(5)));
        }
    }
}
