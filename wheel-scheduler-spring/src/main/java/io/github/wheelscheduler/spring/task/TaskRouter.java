package io.github.wheelscheduler.spring.task;

import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;

/**
 * Takes tasks that bring no name away from a scheduler when they are scheduled, to run them elsewhere, such as once for several processes.
 * Called on the scheduling thread; its exceptions reach that caller.
 */
@FunctionalInterface
public interface TaskRouter {

    /**
     * Takes a task, or leaves it to the scheduler.
     *
     * @param id which it is, as for its settings; several schedules of a method have the same
     * @param task what is to run
     * @param schedule when, after settings have been heard
     * @param first when a fixed rate or delay starts; null for at once
     * @param isEnabled whether it runs at all on this node; a scheduler that it is left to shows it as disabled, and may be told to resume it
     * @return its future; null to leave it to the scheduler
     */
    @Nullable
    ScheduledFuture<?> route(
            String id, Runnable task, TaskSchedule schedule, @Nullable Instant first, boolean isEnabled);
}
