package io.github.wheelscheduler.spring.task;

import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;

/**
 * Takes tasks that bring no name away from a scheduler when they are scheduled, to run them elsewhere, such as once for
 * several processes. Called on the scheduling thread; its exceptions reach that caller.
 */
@FunctionalInterface
public interface TaskRouter {

    /**
     * Takes a task, or leaves it to the scheduler.
     *
     * @param id which it is, as for its settings; several schedules of a method have the same
     * @param task the task to run
     * @param schedule the schedule, after settings have been applied
     * @param first when a fixed rate or delay starts; null for at once
     * @param isEnabled whether it is enabled on this node; otherwise a scheduler shows it as disabled, and may resume
     *     it, or never runs it, as its mode is off
     * @return its future; null to leave it to the scheduler
     */
    @Nullable
    ScheduledFuture<?> route(
            String id, Runnable task, TaskSchedule schedule, @Nullable Instant first, boolean isEnabled);
}
