package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.BackOff;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskListener;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.PeriodicTrigger;

/** What becomes of a task that fails, exactly as {@link BackOff} and {@link TaskSettings#pauseAfterFailures} say. */
@ExtendWith(VirtualTimeExtension.class)
class FailuresTest {

    private static final BackOff GROWING = new BackOff(Duration.ofSeconds(10), 2, Duration.ofSeconds(60));

    private final List<Long> seconds = new ArrayList<>();
    private final AtomicBoolean fails = new AtomicBoolean(true);
    private VirtualTime time;
    private WheelTaskScheduler scheduler;

    @BeforeEach
    void newScheduler(VirtualTime time) {
        this.time = time;
        this.scheduler = time.newScheduler();
        scheduler.setErrorHandler(failure -> {});
    }

    private void schedule(TaskSchedule schedule, TaskSettings settings) {
        ScheduledFuture<?> ignored = scheduler.getTaskRegistry().schedule("task", this::run, schedule, settings);
    }

    private void run() {
        seconds.add(Duration.between(VirtualTime.DEFAULT_START, time.now()).toSeconds());
        if (fails.get()) {
            throw new IllegalStateException("as it was told");
        }
    }

    private TaskInfo task() {
        return scheduler.getTaskRegistry().get("task");
    }

    @Test
    void rateRestsLongerAndIsBackInPhaseAfterASuccess() {
        schedule(
                TaskSchedule.fixedRate(Duration.ofSeconds(5)),
                TaskSettings.builder().backOff(GROWING).build());
        time.advanceBy(Duration.ofSeconds(200));
        assertThat(seconds).containsExactly(0L, 10L, 30L, 70L, 130L, 190L);
        fails.set(false);
        time.advanceBy(Duration.ofSeconds(60));
        assertThat(seconds).endsWith(190L, 250L, 255L, 260L);
        assertThat(task().missed()).isZero();
    }

    @Test
    void restIsRoundedUpToThePhase() {
        schedule(
                TaskSchedule.fixedRate(Duration.ofSeconds(5)),
                TaskSettings.builder()
                        .backOff(new BackOff(Duration.ofSeconds(12), 1, Duration.ofSeconds(12)))
                        .build());
        time.advanceBy(Duration.ofSeconds(31));
        assertThat(seconds).containsExactly(0L, 15L, 30L);
    }

    @Test
    void delayRestsNoLessThanItsDelay() {
        schedule(
                TaskSchedule.fixedDelay(Duration.ofSeconds(15)),
                TaskSettings.builder().backOff(GROWING).build());
        time.advanceBy(Duration.ofSeconds(80));
        assertThat(seconds).containsExactly(0L, 15L, 35L, 75L);
    }

    @Test
    void cronRunsAtItsFirstInstantAfterTheRest() {
        schedule(
                TaskSchedule.trigger(new CronTrigger("*/15 * * * * *")),
                TaskSettings.builder().backOff(GROWING).build());
        time.advanceBy(Duration.ofSeconds(110));
        assertThat(seconds).containsExactly(15L, 30L, 60L, 105L);
        fails.set(false);
        time.advanceBy(Duration.ofSeconds(100));
        assertThat(seconds).endsWith(105L, 165L, 180L, 195L, 210L);
    }

    @Test
    void taskIsPausedAfterFailuresAndAnEventPublished() {
        List<String> heard = new ArrayList<>();
        scheduler.getTaskRegistry().addListener(new TaskListener() {
            @Override
            public void pausedAfterFailures(String id, long failures) {
                heard.add(id + " after " + failures);
            }
        });
        schedule(
                TaskSchedule.fixedRate(Duration.ofSeconds(1)),
                TaskSettings.builder().pauseAfterFailures(3).build());
        time.advanceBy(Duration.ofSeconds(10));
        assertThat(seconds).containsExactly(0L, 1L, 2L);
        assertThat(heard).containsExactly("task after 3");
        assertThat(task().state()).isEqualTo(TaskInfo.State.PAUSED);
        assertThat(task().pausedAfterFailures()).isTrue();
        assertThat(scheduler.getTaskRegistry().pausedAfterFailures(10)).containsExactly("task");
    }

    @Test
    void oneCallResumesItAndItCountsAnew() {
        schedule(
                TaskSchedule.fixedRate(Duration.ofSeconds(1)),
                TaskSettings.builder().pauseAfterFailures(3).build());
        time.advanceBy(Duration.ofSeconds(10));
        scheduler.getTaskRegistry().resume("task");
        assertThat(task().pausedAfterFailures()).isFalse();
        time.advanceBy(Duration.ofSeconds(10));
        assertThat(seconds).containsExactly(0L, 1L, 2L, 11L, 12L, 13L);
    }

    @Test
    void oneSuccessByHandResumesItAndAFailureByHandDoesNot() {
        schedule(
                TaskSchedule.fixedRate(Duration.ofSeconds(1)),
                TaskSettings.builder().pauseAfterFailures(2).build());
        time.advanceBy(Duration.ofSeconds(10));
        scheduler.getTaskRegistry().trigger("task");
        time.runCurrent();
        assertThat(task().state()).isEqualTo(TaskInfo.State.PAUSED);
        fails.set(false);
        scheduler.getTaskRegistry().trigger("task");
        time.runCurrent();
        assertThat(task().state()).isEqualTo(TaskInfo.State.PENDING);
        time.advanceBy(Duration.ofSeconds(2));
        assertThat(seconds).containsExactly(0L, 1L, 10L, 10L, 11L, 12L);
    }

    @Test
    void pauseByHandIsNotEndedByASuccessByHand() {
        fails.set(false);
        schedule(
                TaskSchedule.fixedRate(Duration.ofSeconds(1)),
                TaskSettings.builder().pauseAfterFailures(2).build());
        scheduler.getTaskRegistry().pause("task");
        scheduler.getTaskRegistry().trigger("task");
        time.advanceBy(Duration.ofSeconds(2));
        assertThat(seconds).containsExactly(0L);
        assertThat(task().state()).isEqualTo(TaskInfo.State.PAUSED);
    }

    @Test
    void runsMissedBeforeARestAreCounted() {
        schedule(
                TaskSchedule.fixedRate(Duration.ofSeconds(5)),
                TaskSettings.builder()
                        .backOff(new BackOff(Duration.ofSeconds(1), 1, Duration.ofSeconds(1)))
                        .build());
        time.suspend(Duration.ofSeconds(22));
        time.advanceBy(Duration.ofSeconds(4));
        assertThat(seconds).containsExactly(22L, 25L);
        assertThat(task().missed()).isEqualTo(4);
    }

    @Test
    void triggerOfAPeriodStaysInItsPhase() {
        PeriodicTrigger everyFiveSeconds = new PeriodicTrigger(Duration.ofSeconds(5));
        everyFiveSeconds.setFixedRate(true);
        schedule(
                TaskSchedule.trigger(everyFiveSeconds),
                TaskSettings.builder()
                        .backOff(new BackOff(Duration.ofSeconds(12), 1, Duration.ofSeconds(12)))
                        .build());
        time.advanceBy(Duration.ofSeconds(1));
        time.advanceBy(Duration.ofSeconds(15));
        fails.set(false);
        time.advanceBy(Duration.ofSeconds(20));
        assertThat(seconds).containsExactly(0L, 15L, 30L, 35L);
    }

    @Test
    void pauseByHandOnTopOfOneBecauseOfFailuresEndsBoth() {
        schedule(
                TaskSchedule.fixedRate(Duration.ofSeconds(1)),
                TaskSettings.builder().pauseAfterFailures(3).build());
        time.advanceBy(Duration.ofSeconds(5));
        scheduler.getTaskRegistry().pause("task");
        assertThat(task().pausedAfterFailures()).isFalse();
        scheduler.getTaskRegistry().resume("task");
        time.advanceBy(Duration.ofSeconds(10));
        assertThat(seconds).containsExactly(0L, 1L, 2L, 6L, 7L, 8L);
    }
}
