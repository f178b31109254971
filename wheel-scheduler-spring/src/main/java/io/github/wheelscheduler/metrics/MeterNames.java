package io.github.wheelscheduler.metrics;

import io.github.wheelscheduler.internal.meter.TimerMeterNames;

/** The names of all meters and of their tags. */
public final class MeterNames {

    // The workers, as Micrometer names them for every executor.

    public static final String EXECUTOR_POOL_SIZE = "executor.pool.size";
    public static final String EXECUTOR_POOL_CORE = "executor.pool.core";
    public static final String EXECUTOR_POOL_MAX = "executor.pool.max";
    public static final String EXECUTOR_ACTIVE = "executor.active";
    public static final String EXECUTOR_QUEUED = "executor.queued";
    public static final String EXECUTOR_QUEUE_REMAINING = "executor.queue.remaining";
    public static final String EXECUTOR_COMPLETED = "executor.completed";

    // The way of a timer.

    public static final String SCHEDULED = "wheel.scheduler.scheduled";
    public static final String REJECTED = "wheel.scheduler.rejected";
    public static final String INBOX = "wheel.scheduler.inbox";
    public static final String PENDING = "wheel.scheduler.pending";
    public static final String CANCELLED = "wheel.scheduler.cancelled";
    public static final String READY = "wheel.scheduler.ready";
    public static final String READY_AGE = "wheel.scheduler.ready.age";
    public static final String FIRED = "wheel.scheduler.fired";
    public static final String LATENESS = "wheel.scheduler.lateness";
    public static final String FAILED = "wheel.scheduler.failed";
    public static final String SKIPPED = "wheel.scheduler.skipped";

    // The tick thread.

    public static final String WAKEUPS = "wheel.scheduler.wakeups";
    public static final String TICK_OVERSLEEP = "wheel.scheduler.tick.oversleep";
    public static final String TICK_OVERSLEEP_MAX = "wheel.scheduler.tick.oversleep.max";

    // The tasks.

    public static final String TASKS = "wheel.scheduler.tasks";
    public static final String TASKS_OVERDUE = "wheel.scheduler.tasks.overdue";
    public static final String TASK_RUN = "wheel.scheduler.task.run";
    public static final String TASK_LATENESS = "wheel.scheduler.task.lateness";
    public static final String TASK_LAST_SUCCESS = "wheel.scheduler.task.last.success";
    public static final String TASK_SUCCESS_AGE = "wheel.scheduler.task.success.age";
    public static final String TASK_OVERRUNS = "wheel.scheduler.task.overruns";
    public static final String TASK_MISSED = "wheel.scheduler.task.missed";

    // Timers for programs.

    public static final String TIMERS_PENDING = TimerMeterNames.TIMERS_PENDING;
    public static final String TIMERS_FIRED = TimerMeterNames.TIMERS_FIRED;
    public static final String TIMERS_MOVED = TimerMeterNames.TIMERS_MOVED;
    public static final String TIMERS_FAILED = TimerMeterNames.TIMERS_FAILED;
    public static final String TIMERS_LATENESS = TimerMeterNames.TIMERS_LATENESS;
    public static final String LEASES_KEPT = TimerMeterNames.LEASES_KEPT;
    public static final String LEASES_RENEWED = TimerMeterNames.LEASES_RENEWED;
    public static final String LEASES_FAILED = TimerMeterNames.LEASES_FAILED;
    public static final String LEASES_LOST = TimerMeterNames.LEASES_LOST;

    // The tags.

    /** The name of the scheduler, or of the timers, which every meter has. */
    public static final String TAG_NAME = TimerMeterNames.TAG_NAME;

    /** What a run waited for: {@code wheel} or {@code queue}. */
    public static final String TAG_STAGE = "stage";

    /** Why a run did not take place. */
    public static final String TAG_REASON = "reason";

    /** How a run went, in the words of Spring's observations: {@code SUCCESS} or {@code ERROR}. */
    public static final String TAG_OUTCOME = "outcome";

    /** The id of a task. */
    public static final String TAG_TASK = "task";

    /** Whether tasks have meters of their own. */
    public static final String TAG_METERED = "metered";

    /** What timers they are: {@code keyed}, {@code idle} or {@code netty}. */
    public static final String TAG_KIND = TimerMeterNames.TAG_KIND;

    private MeterNames() {}

    /** Returns what a meter of that name says. */
    static String descriptionOf(String name) {
        return switch (name) {
            case EXECUTOR_POOL_SIZE -> "How many workers there are";
            case EXECUTOR_POOL_CORE -> "How many workers stay though they have nothing to do";
            case EXECUTOR_POOL_MAX -> "How many tasks may run at a time";
            case EXECUTOR_ACTIVE -> "How many tasks are running";
            case EXECUTOR_QUEUED, PENDING -> "How many tasks wait for their time or for a worker";
            case EXECUTOR_QUEUE_REMAINING -> "How many more tasks are accepted";
            case EXECUTOR_COMPLETED -> "How many runs have ended";
            case SCHEDULED -> "How many tasks have become pending, each run of a repeating one counted";
            case REJECTED -> "How many tasks have not been accepted";
            case INBOX -> "How many messages the tick thread has not read";
            case CANCELLED -> "How many pending tasks have been cancelled";
            case READY -> "How many due tasks wait for a worker";
            case READY_AGE -> "How long the first due task has waited for a worker";
            case FIRED -> "How many runs have started";
            case LATENESS -> "How late runs start, by what they waited for";
            case FAILED -> "How many runs have failed";
            case SKIPPED -> "How many runs did not take place when they were due";
            case WAKEUPS -> "How often the tick thread has slept";
            case TICK_OVERSLEEP -> "By how much the tick thread woke up too late";
            case TICK_OVERSLEEP_MAX ->
                "By how much the tick thread woke up too late at most, in the last one to two minutes";
            case TASKS -> "How many tasks are registered, with meters of their own and without";
            case TASKS_OVERDUE -> "How many tasks are late by more than the grace allows";
            case TASK_RUN -> "How long the runs of a task take";
            case TASK_LATENESS -> "How late the runs of a task start";
            case TASK_LAST_SUCCESS -> "When a run of a task last succeeded, since the epoch";
            case TASK_SUCCESS_AGE -> "How long ago a run of a task last succeeded or, if none has, the task got meters";
            case TASK_OVERRUNS -> "How many runs of a task took longer than it is to the next one";
            case TASK_MISSED -> "How many runs of a task were missed, and were not made up";
            default -> TimerMeterNames.descriptionOf(name);
        };
    }
}
