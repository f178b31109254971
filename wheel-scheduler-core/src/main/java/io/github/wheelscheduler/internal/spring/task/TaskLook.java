package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.internal.spring.run.RunHistory;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Says how a task is doing. A task is overdue if it is late by more than a share of its interval, and by more than the shortest grace.
 *
 * @param share of its interval
 * @param shortest grace, however short the interval is
 */
public record TaskLook(double share, Duration shortest) {

    public TaskInfo info(TaskSeries task) {
        RunHistory.View seen = task.guard().seen();
        Instant since = task.guard().runningSince();
        TaskInfo.State state = state(task);
        // After the state: a run that has just returned, and goes on, is one or the other.
        Instant openSince = task.guard().openSince();
        TaskSchedule schedule = task.schedule();
        Instant now = task.now();
        Instant next = null;
        Duration lateBy = Duration.ZERO;
        if (state == TaskInfo.State.RUNNING && since != null) {
            lateBy = nextLateBy(schedule, since, now);
        } else if (isWaiting(state, task) && task.timer != null) {
            long delayNanos = task.getDelay(TimeUnit.NANOSECONDS);
            Instant exact = task.nextInstant();
            next = exact != null ? exact : now.plusNanos(delayNanos);
            lateBy = state == TaskInfo.State.PAUSED ? Duration.ZERO : Duration.ofNanos(Math.max(0, -delayNanos));
        }
        return new TaskInfo(
                task.id(),
                task.origin,
                schedule,
                schedule == task.written ? null : task.written,
                task.settings(),
                shown(state, openSince),
                next,
                lateBy,
                isOverdue(lateBy, schedule, now),
                openSince != null ? openSince : since,
                seen.lastSuccess(),
                seen.lastFailure(),
                seen.runs(),
                seen.failures(),
                seen.failuresInARow(),
                task.isPausedAfterFailures(),
                seen.skips(),
                seen.missed(),
                seen.overruns(),
                seen.recent());
    }

    /** What {@link #info} would call its state, without the notes of runs. */
    static TaskInfo.State stateOf(TaskSeries task) {
        TaskInfo.State state = state(task);
        return shown(state, task.guard().openSince());
    }

    private static TaskInfo.State shown(TaskInfo.State state, @Nullable Instant openSince) {
        boolean goesOn = openSince != null && (state == TaskInfo.State.PENDING || state == TaskInfo.State.OVER);
        return goesOn ? TaskInfo.State.RUNNING : state;
    }

    /** Returns when the next run is due, on the clock of timers; null as long as no timer waits for that. */
    static @Nullable Long nextNanos(TaskSeries task) {
        ScheduledFuture<?> timer = task.timer;
        return timer != null && isWaiting(task) ? task.deadlineNanos(timer) : null;
    }

    /** Returns since when the next run has been late, on the clock of timers; null if it is not. */
    static @Nullable Long lateSinceNanos(TaskSeries task) {
        Instant since = task.guard().runningSince();
        long sinceNanos = task.guard().runningSinceNanos();
        TaskInfo.State state = state(task);
        Long dueNanos = null;
        if (state == TaskInfo.State.RUNNING && since != null && sinceNanos != 0) {
            TaskSchedule schedule = task.schedule();
            Duration interval = schedule.countsFromEnd() ? null : schedule.intervalAfter(since);
            dueNanos = interval == null
                    ? null
                    : sinceNanos + Math.min(Long.MAX_VALUE / 2, TimeUnit.NANOSECONDS.convert(interval));
        } else if (state == TaskInfo.State.PENDING) {
            dueNanos = nextNanos(task);
        }
        return dueNanos != null && dueNanos - task.nanoTime() < 0 ? dueNanos : null;
    }

    /** Whether {@link #info} would call it overdue. */
    boolean isOverdue(TaskSeries task) {
        Long sinceNanos = lateSinceNanos(task);
        return sinceNanos != null
                && isOverdue(Duration.ofNanos(task.nanoTime() - sinceNanos), task.schedule(), task.now());
    }

    private boolean isOverdue(Duration lateBy, TaskSchedule schedule, Instant now) {
        if (lateBy.compareTo(shortest) <= 0) {
            return false;
        }
        Duration interval = schedule.intervalAfter(now);
        return interval == null || lateBy.toNanos() > share * TimeUnit.NANOSECONDS.convert(interval);
    }

    /** By how much a run keeps the next one waiting; a delay counts from its end. */
    private static Duration nextLateBy(TaskSchedule schedule, Instant since, Instant now) {
        Duration interval = schedule.countsFromEnd() ? null : schedule.intervalAfter(since);
        Duration late =
                interval == null ? Duration.ZERO : Duration.between(since, now).minus(interval);
        return late.isNegative() ? Duration.ZERO : late;
    }

    /** Whether it has a timer that waits for its time. */
    public static boolean isWaiting(TaskSeries task) {
        return isWaiting(state(task), task);
    }

    private static boolean isWaiting(TaskInfo.State state, TaskSeries task) {
        return (state == TaskInfo.State.PENDING || state == TaskInfo.State.PAUSED) && !task.isHeld();
    }

    private static TaskInfo.State state(TaskSeries task) {
        if (task.guard().isRunning()) {
            return TaskInfo.State.RUNNING;
        }
        if (task.isDone()) {
            return TaskInfo.State.OVER;
        }
        if (task.isDisabled()) {
            return TaskInfo.State.DISABLED;
        }
        return task.isPaused() ? TaskInfo.State.PAUSED : TaskInfo.State.PENDING;
    }
}
