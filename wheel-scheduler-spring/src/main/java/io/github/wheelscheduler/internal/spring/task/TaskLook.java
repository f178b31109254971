package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.internal.spring.run.RunHistory;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskPast;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Says how a task is doing. A task is overdue if it is late by more than a share of its interval, and by more than the
 * shortest grace; none is while its scheduler holds back what is due.
 *
 * @param share of its interval
 * @param shortest grace, however short the interval is
 * @param past the past of tasks before this process, as far as it is known, by their ids
 */
public record TaskLook(double share, Duration shortest, Map<String, TaskPast> past) {

    /** Returns one without a past. */
    public TaskLook(double share, Duration shortest) {
        this(share, shortest, Map.of());
    }

    public TaskInfo info(TaskSeries task) {
        RunHistory.View seen = task.guard().seen();
        TaskPast before = past.getOrDefault(task.id(), TaskPast.NONE);
        Instant since = task.guard().runningSince();
        TaskInfo.State state = state(task);
        // After the state: a run that has just returned, and continues, is one or the other.
        Instant openSince = task.guard().openSince();
        TaskSchedule schedule = task.schedule();
        Instant now = task.now();
        Instant next = null;
        Duration lateBy = Duration.ZERO;
        if (state == TaskInfo.State.RUNNING && since != null) {
            lateBy = nextLateBy(schedule, since, now);
        } else if (isWaiting(state, task) && task.timer != null) {
            long nowNanos = task.nanoTime();
            Instant exact = task.nextInstant();
            next = exact != null ? exact : now.plusNanos(task.getDelay(TimeUnit.NANOSECONDS));
            Long lateSince = lateSinceNanos(state, task, nowNanos);
            lateBy = lateSince == null ? Duration.ZERO : Duration.ofNanos(nowNanos - lateSince);
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
                isOverdue(lateBy, task, schedule, now),
                openSince != null ? openSince : since,
                seen.lastSuccess() == null ? before.lastSuccess() : seen.lastSuccess(),
                seen.lastFailure() == null ? before.lastFailure() : seen.lastFailure(),
                seen.runs(),
                seen.failures(),
                seen.failuresInARow(),
                task.isPausedAfterFailures(),
                seen.skips(),
                seen.missed(),
                seen.overruns(),
                seen.recent());
    }

    static TaskInfo.State shown(TaskInfo.State state, @Nullable Instant openSince) {
        boolean goesOn = openSince != null && (state == TaskInfo.State.PENDING || state == TaskInfo.State.OVER);
        return goesOn ? TaskInfo.State.RUNNING : state;
    }

    static @Nullable Long nextNanos(TaskInfo.State state, TaskSeries task) {
        ScheduledFuture<?> timer = task.timer;
        return timer != null && isWaiting(state, task) ? (Long) task.deadlineNanos(timer) : null;
    }

    static @Nullable Long lateSinceNanos(TaskInfo.State state, TaskSeries task, long nowNanos) {
        Long dueNanos = null;
        if (state == TaskInfo.State.RUNNING) {
            dueNanos = dueWhileRunningNanos(task);
        } else if (state == TaskInfo.State.PENDING) {
            ScheduledFuture<?> timer = task.timer;
            dueNanos = timer != null && isWaiting(state, task) ? (Long) task.lateFromNanos(timer) : null;
        }
        return dueNanos != null && dueNanos - nowNanos < 0 ? dueNanos : null;
    }

    private static @Nullable Long dueWhileRunningNanos(TaskSeries task) {
        Instant since = task.guard().runningSince();
        long sinceNanos = task.guard().runningSinceNanos();
        TaskSchedule schedule = task.schedule();
        Duration interval =
                since == null || sinceNanos == 0 || schedule.countsFromEnd() ? null : schedule.intervalAfter(since);
        return interval == null
                ? null
                : (Long) (sinceNanos + Math.min(Long.MAX_VALUE / 2, TimeUnit.NANOSECONDS.convert(interval)));
    }

    boolean isOverdueBy(long lateNanos, TaskSeries task) {
        return isOverdue(Duration.ofNanos(lateNanos), task, task.schedule(), task.now());
    }

    private boolean isOverdue(Duration lateBy, TaskSeries task, TaskSchedule schedule, Instant now) {
        if (lateBy.compareTo(shortest) <= 0 || task.guard().book.timers.isHolding()) {
            return false;
        }
        Duration interval = schedule.intervalAfter(now);
        return interval == null
                || TimeUnit.NANOSECONDS.convert(lateBy) > share * TimeUnit.NANOSECONDS.convert(interval);
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

    static boolean isWaiting(TaskInfo.State state, TaskSeries task) {
        return (state == TaskInfo.State.PENDING || state == TaskInfo.State.PAUSED) && !task.isHeld();
    }

    /** Without runs that continue when they have returned. */
    static TaskInfo.State state(TaskSeries task) {
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
