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

    public static final String PAUSED = "wheel.scheduler.paused";
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

    /** The cause of a delay: {@code wheel} or {@code queue}. */
    public static final String TAG_STAGE = "stage";

    /** Why a run did not take place. */
    public static final String TAG_REASON = "reason";

    /** The outcome of a run, in the words of Spring's observations: {@code SUCCESS} or {@code ERROR}. */
    public static final String TAG_OUTCOME = "outcome";

    /** The id of a task. */
    public static final String TAG_TASK = "task";

    /** Whether tasks have meters of their own. */
    public static final String TAG_METERED = "metered";

    /** The kind of timers: {@code keyed}, {@code idle} or {@code netty}. */
    public static final String TAG_KIND = TimerMeterNames.TAG_KIND;

    private MeterNames() {}

    /** Returns the description of a meter. */
    static String descriptionOf(String name) {
        return switch (name) {
            case EXECUTOR_POOL_SIZE -> "Number of workers";
            case EXECUTOR_POOL_CORE -> "Number of workers that stay while idle";
            case EXECUTOR_POOL_MAX -> "Maximum number of tasks that run at a time";
            case EXECUTOR_ACTIVE -> "Number of running tasks";
            case EXECUTOR_QUEUED, PENDING -> "Number of tasks that wait for their time or for a worker";
            case EXECUTOR_QUEUE_REMAINING -> "Number of further tasks that are accepted";
            case EXECUTOR_COMPLETED -> "Number of completed runs";
            case SCHEDULED -> "Number of tasks that became pending, counting each run of a repeating one";
            case REJECTED -> "Number of rejected tasks";
            case INBOX -> "Number of messages not yet read by the tick thread";
            case CANCELLED -> "Number of pending tasks that were cancelled";
            case READY -> "Number of due tasks that wait for a worker";
            case READY_AGE -> "Time the first due task has waited for a worker";
            case FIRED -> "Number of started runs";
            case LATENESS -> "Lateness of the start of runs, by cause";
            case FAILED -> "Number of failed runs";
            case SKIPPED -> "Number of skipped runs";
            case PAUSED -> "Whether the scheduler is paused, 1 or 0";
            case WAKEUPS -> "Number of times the tick thread has slept";
            case TICK_OVERSLEEP -> "Delay of the wake-ups of the tick thread";
            case TICK_OVERSLEEP_MAX -> "Maximum delay of a wake-up of the tick thread in the last one to two minutes";
            case TASKS -> "Number of registered tasks, with and without meters of their own";
            case TASKS_OVERDUE -> "Number of tasks that are late by more than the grace";
            case TASK_RUN -> "Duration of the runs of a task";
            case TASK_LATENESS -> "Lateness of the start of the runs of a task";
            case TASK_LAST_SUCCESS -> "Time of the last successful run of a task, since the epoch";
            case TASK_SUCCESS_AGE ->
                "Time since the last successful run of a task or, if there is none, since its meters were registered";
            case TASK_OVERRUNS -> "Number of runs of a task that took longer than the time to the next one";
            case TASK_MISSED -> "Number of missed runs of a task that were not caught up";
            default -> TimerMeterNames.descriptionOf(name);
        };
    }
}
