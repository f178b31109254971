package io.github.wheelscheduler.spring.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A past that is recalled. */
class TaskPastTest {

    private static final Instant THEN = Instant.parse("2020-02-29T02:00:00Z");

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();

    @AfterEach
    void close() {
        scheduler.shutdown();
    }

    @Test
    void recalledPastIsShownUntilTheTaskRuns() {
        scheduler.initialize();
        TaskRegistry tasks = scheduler.getTaskRegistry();
        ScheduledFuture<?> ignored = tasks.schedule("nightly", () -> {}, TaskSchedule.cron("0 0 2 29 2 *"));
        assertThat(tasks.get("nightly").lastSuccess()).isNull();
        tasks.recall(Map.of("nightly", new TaskPast(THEN, THEN.minusSeconds(60)), "other", TaskPast.NONE));
        tasks.setOverdueGrace(2, Duration.ofSeconds(1));
        tasks.recall(Map.of("third", TaskPast.NONE));
        assertThat(tasks.get("nightly").lastSuccess()).isEqualTo(THEN);
        assertThat(tasks.list(0, 10)).extracting(TaskInfo::lastFailure).containsExactly(THEN.minusSeconds(60));
        tasks.trigger("nightly");
        await().until(() -> tasks.get("nightly").runs() == 1);
        assertThat(tasks.get("nightly").lastSuccess()).isAfter(THEN);
        assertThat(tasks.get("nightly").lastFailure()).isEqualTo(THEN.minusSeconds(60));
        assertThat(tasks.get("nightly").failures()).isZero();
    }

    @Test
    void pastOfTaskThatIsGoneIsDropped() {
        scheduler.initialize();
        TaskRegistry tasks = scheduler.getTaskRegistry();
        TaskSchedule never = TaskSchedule.cron("0 0 2 29 2 *");
        ScheduledFuture<?> first = tasks.schedule("nightly", () -> {}, never);
        tasks.recall(Map.of("nightly", new TaskPast(THEN, null)));
        assertThat(first.cancel(false)).isTrue();
        tasks.recall(Map.of());
        ScheduledFuture<?> ignored = tasks.schedule("nightly", () -> {}, never);
        assertThat(tasks.get("nightly").lastSuccess()).isNull();
    }
}
