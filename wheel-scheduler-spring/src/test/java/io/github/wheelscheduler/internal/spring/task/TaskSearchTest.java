package io.github.wheelscheduler.internal.spring.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskQuery;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.Patience;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What runs and what looks for tasks do not wait for each other. */
class TaskSearchTest {

    @Test
    void searchTakesNoLockThatARunTakes() throws Exception {
        WheelTaskScheduler scheduler = new WheelTaskScheduler();
        scheduler.initialize();
        try {
            ScheduledFuture<?> future =
                    scheduler.getTaskRegistry().schedule("held", () -> {}, TaskSchedule.fixedRate(Duration.ofHours(1)));
            Patience.awaitThat(() -> scheduler.getTaskRegistry().get("held").runs() == 1);
            GuardedTask guard = ((TaskSeries) future).guard();
            synchronized (guard) {
                synchronized (Objects.requireNonNull(guard.history())) {
                    for (TaskQuery.Order order : TaskQuery.Order.values()) {
                        TaskQuery query = TaskQuery.ALL
                                .in(TaskQuery.Condition.values())
                                .withText("h")
                                .orderedBy(order, true)
                                .part(0, 10);
                        CompletableFuture<Integer> found = CompletableFuture.supplyAsync(() -> TaskRegistry.survey(
                                        Map.of("", scheduler.getTaskRegistry()), query, (name, task) -> task, 10)
                                .page()
                                .tasks()
                                .size());
                        assertThat(found.get(30, TimeUnit.SECONDS)).isOne();
                    }
                }
            }
        } finally {
            scheduler.shutdown();
        }
    }
}
