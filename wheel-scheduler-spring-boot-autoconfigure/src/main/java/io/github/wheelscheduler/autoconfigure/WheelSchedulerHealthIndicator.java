package io.github.wheelscheduler.autoconfigure;

import static io.github.wheelscheduler.internal.DurationWords.about;
import static io.github.wheelscheduler.internal.DurationWords.exactly;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelSnapshot;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskInfo;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * The health of a scheduler: down if its tick thread has died or does not get on, out of service once it has been shut
 * down. A pause is what an operator wanted, so it is named and, unless a property says otherwise, the health stays up.
 * Overdue tasks are named in the details and change nothing, since they may be so because of what they do.
 */
final class WheelSchedulerHealthIndicator extends AbstractHealthIndicator {

    private static final int MAX_NAMED = 10;

    private final WheelTaskScheduler scheduler;
    private final Duration stuckLimit;
    private final String pausedStatus;

    WheelSchedulerHealthIndicator(WheelTaskScheduler scheduler, WheelSchedulerProperties.Health settings) {
        this.scheduler = scheduler;
        this.stuckLimit = settings.getStuckLimit();
        this.pausedStatus = settings.getPausedStatus();
    }

    /** Returns the component for a scheduler of that name: a slash would end it in a path, and Boot takes none. */
    static String componentOf(String name) {
        return name.replace('/', '.');
    }

    /** Returns the name of its scheduler among others; any if it is not there, as that of a parent context. */
    String nameIn(Map<String, WheelTaskScheduler> schedulers) {
        return schedulers.entrySet().stream()
                .filter(entry -> entry.getValue() == scheduler)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse("scheduler");
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        WheelScheduledExecutor executor = scheduler.getWheelScheduledExecutor();
        WheelSnapshot seen = executor.snapshot();
        setStatus(builder, seen.tick(), executor.isShutdown(), !scheduler.isRunning());
        addTasks(builder, scheduler.getTaskRegistry().overdue(Integer.MAX_VALUE));
        List<String> failed = scheduler.getTaskRegistry().pausedAfterFailures(MAX_NAMED);
        if (!failed.isEmpty()) {
            builder.withDetail("pausedAfterFailures", failed);
        }
        builder.withDetail("mode", scheduler.getMode().name());
        builder.withDetail("tasks", scheduler.getTaskRegistry().size())
                .withDetail("pending", seen.pending())
                .withDetail("ready", seen.ready())
                .withDetail("workers", seen.workers())
                .withDetail("active", seen.active())
                .withDetail("fired", seen.totals().fired())
                .withDetail("failed", scheduler.getFailedRuns())
                .withDetail("rejected", seen.totals().rejected());
    }

    void setStatus(Health.Builder builder, WheelSnapshot.Tick tick, boolean isShutdown, boolean isPaused) {
        if (tick.state() == WheelSnapshot.State.DEAD) {
            builder.down()
                    .withDetail("reason", "the tick thread has died: no task runs until the application restarts");
        } else if (tick.stuckFor().compareTo(stuckLimit) > 0) {
            builder.down()
                    .withDetail(
                            "reason",
                            "the tick thread is " + about(tick.stuckFor()) + " behind, more than the limit of "
                                    + exactly(stuckLimit));
        } else if (isShutdown) {
            builder.outOfService()
                    .withDetail("reason", "the scheduler has shut down; restart the application to run its tasks");
        } else if (isPaused) {
            builder.status(pausedStatus).withDetail("reason", "the scheduler is paused");
        } else {
            builder.up();
        }
        builder.withDetail("tickThread", tick.state().name());
    }

    private static void addTasks(Health.Builder builder, List<TaskInfo> overdue) {
        builder.withDetail("overdue", overdue.size());
        if (!overdue.isEmpty()) {
            List<String> named =
                    overdue.stream().limit(MAX_NAMED).map(TaskInfo::id).toList();
            builder.withDetail("overdueTasks", named);
        }
    }
}
