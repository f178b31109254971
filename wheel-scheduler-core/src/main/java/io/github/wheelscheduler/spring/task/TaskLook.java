package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.spring.run.RunHistory;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** How a task is doing, as whoever looks at it is told. */
final class TaskLook {

    private TaskLook() {}

    static TaskInfo info(RegisteredTask task, TaskRegistry.Grace grace) {
        RunHistory.View seen = task.guarded().seen();
        Instant since = task.guarded().runningSince();
        TaskInfo.State state = state(task);
        // After the state: a run that has just returned, and goes on, is one or the other.
        Instant openSince = task.guarded().openSince();
        TaskSchedule schedule = task.schedule();
        TaskFuture future = task.future();
        Instant now = task.now();
        Instant next = null;
        Duration lateBy = Duration.ZERO;
        if (state == TaskInfo.State.RUNNING && since != null) {
            lateBy = nextLateBy(schedule, since, now);
        } else if (isWaiting(state, future) && future.hasTimer()) {
            long delayNanos = future.getDelay(TimeUnit.NANOSECONDS);
            Instant exact = future.nextInstant();
            next = exact != null ? exact : now.plusNanos(delayNanos);
            lateBy = state == TaskInfo.State.PAUSED ? Duration.ZERO : Duration.ofNanos(Math.max(0, -delayNanos));
        }
        return new TaskInfo(
                task.id(),
                task.origin(),
                schedule,
                task.settings(),
                openSince != null && (state == TaskInfo.State.PENDING || state == TaskInfo.State.OVER)
                        ? TaskInfo.State.RUNNING
                        : state,
                next,
                lateBy,
                grace.isOverdue(lateBy, schedule, now),
                openSince != null ? openSince : since,
                seen.lastSuccess(),
                seen.runs(),
                seen.failures(),
                seen.failuresInARow(),
                task.isPausedAfterFailures(),
                seen.skips(),
                seen.missed(),
                seen.overruns(),
                seen.recent());
    }

    /** By how much a run keeps the next one waiting; a delay counts from its end. */
    private static Duration nextLateBy(TaskSchedule schedule, Instant since, Instant now) {
        Duration interval = schedule.countsFromEnd() ? null : schedule.intervalAfter(since);
        Duration late =
                interval == null ? Duration.ZERO : Duration.between(since, now).minus(interval);
        return late.isNegative() ? Duration.ZERO : late;
    }

    /** Whether it has a timer that waits for its time. */
    static boolean isWaiting(RegisteredTask task) {
        return isWaiting(state(task), task.future());
    }

    private static boolean isWaiting(TaskInfo.State state, TaskFuture future) {
        return (state == TaskInfo.State.PENDING || state == TaskInfo.State.PAUSED) && !future.isHeld();
    }

    private static TaskInfo.State state(RegisteredTask task) {
        if (task.guarded().isRunning()) {
            return TaskInfo.State.RUNNING;
        }
        if (task.future().isDone()) {
            return TaskInfo.State.OVER;
        }
        if (task.isDisabled()) {
            return TaskInfo.State.DISABLED;
        }
        return task.isPaused() ? TaskInfo.State.PAUSED : TaskInfo.State.PENDING;
    }
}
