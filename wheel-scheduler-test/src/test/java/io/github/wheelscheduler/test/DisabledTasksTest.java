package io.github.wheelscheduler.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.wheelscheduler.spring.SchedulerMode;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.Gap;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.ZoneId;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.core.task.TaskRejectedException;

@ExtendWith(VirtualTimeExtension.class)
class DisabledTasksTest {

    private static final TaskSettings DISABLED =
            TaskSettings.builder().enabled(false).jitter(Duration.ofMinutes(10)).build();

    private final AtomicInteger runs = new AtomicInteger();
    private VirtualTime time;
    private WheelTaskScheduler scheduler;
    private TaskRegistry registry;

    @BeforeEach
    void newScheduler(VirtualTime time) {
        this.time = time;
        this.scheduler = time.newScheduler();
        this.registry = scheduler.getTaskRegistry();
    }

    private ScheduledFuture<?> scheduleOnce(String id) {
        return registry.schedule(id, runs::incrementAndGet, TaskSchedule.once(time.now()), DISABLED);
    }

    @Test
    void triggeredOneTimeTaskRunsThoughTimersAreHalted() throws Exception {
        ScheduledFuture<?> future = scheduleOnce("once");
        scheduler.setMode(SchedulerMode.HALTED);
        time.advanceBy(Duration.ofHours(1));
        assertThat(runs).hasValue(0);
        registry.trigger("once");
        time.runCurrent();
        assertThat(runs).hasValue(1);
        assertThat(future.get(30, TimeUnit.SECONDS)).isNull();
        assertThat(registry.get("once").state()).isEqualTo(TaskInfo.State.OVER);
    }

    @Test
    void oneThatRunsOnceRunsOnceHoweverManyTriggerIt() throws Exception {
        for (int i = 0; i < 300; i++) {
            runs.set(0);
            ScheduledFuture<?> future = scheduleOnce("once-" + i);
            CyclicBarrier start = new CyclicBarrier(2);
            String id = "once-" + i;
            Future<?> other = scheduler.submit(() -> triggerAt(start, id));
            triggerAt(start, id);
            other.get(30, TimeUnit.SECONDS);
            time.runCurrent();
            assertThat(future.isDone()).isTrue();
            assertThat(runs).hasValue(1);
        }
    }

    private @Nullable Object triggerAt(CyclicBarrier start, String id) throws Exception {
        start.await(30, TimeUnit.SECONDS);
        try {
            registry.trigger(id);
        } catch (IllegalStateException ex) {
            // The other one was first.
        }
        return null;
    }

    @Test
    void dueTaskRunsWhenItIsResumed() {
        for (int i = 0; i < 100; i++) {
            ScheduledFuture<?> ignored = registry.schedule(
                    "resumed-" + i,
                    runs::incrementAndGet,
                    TaskSchedule.once(time.now()),
                    TaskSettings.builder().enabled(false).build());
            registry.resume("resumed-" + i);
        }
        time.runCurrent();
        assertThat(runs).hasValue(100);
    }

    @Test
    void repeatingTaskIsEnabledByANewScheduleAlone() {
        ScheduledFuture<?> ignored = registry.schedule(
                "rate", runs::incrementAndGet, TaskSchedule.fixedRate(Duration.ofSeconds(1)), DISABLED);
        registry.trigger("rate");
        time.advanceBy(Duration.ofMinutes(1));
        assertThat(runs).hasValue(1);
        assertThat(registry.get("rate").state()).isEqualTo(TaskInfo.State.DISABLED);
        registry.retime("rate", TaskSchedule.fixedRate(Duration.ofMinutes(1)));
        assertThat(registry.get("rate").state()).isEqualTo(TaskInfo.State.PENDING);
        time.advanceBy(Duration.ofMinutes(3));
        assertThat(runs.get()).isBetween(2, 4);
    }

    @Test
    void futureCanBeCancelledAndEndsWithTheScheduler() {
        ScheduledFuture<?> cancelled = scheduleOnce("cancelled");
        assertThat(cancelled.cancel(false)).isTrue();
        assertThat(registry.find("cancelled")).isEmpty();
        ScheduledFuture<?> left = scheduleOnce("left");
        assertThat(left.isDone()).isFalse();
        scheduler.shutdown();
        assertThat(left.isCancelled()).isTrue();
        assertThatExceptionOfType(TaskRejectedException.class).isThrownBy(() -> scheduleOnce("late"));
        assertThat(registry.ids()).isEmpty();
    }

    @Test
    void retimedCronKeepsItsDaylightSavingPolicy() {
        ScheduledFuture<?> ignored = registry.schedule(
                "cron",
                runs::incrementAndGet,
                TaskSchedule.cron("0 0 5 * * *"),
                TaskSettings.builder().gap(Gap.SHIFT).build());
        registry.retime("cron", new TaskSchedule.Cron("0 30 2 * * *", ZoneId.of("Europe/Berlin")));
        assertThat(registry.get("cron").schedule())
                .isEqualTo(new TaskSchedule.Cron("0 30 2 * * *", ZoneId.of("Europe/Berlin"), Gap.SHIFT, null));
    }
}
