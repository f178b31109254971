package io.github.wheelscheduler.metrics;

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
    public static final String TASK_RUN = "wheel.scheduler.task.run";
    public static final String TASK_LATENESS = "wheel.scheduler.task.lateness";
    public static final String TASK_LAST_SUCCESS = "wheel.scheduler.task.last.success";
    public static final String TASK_SUCCESS_AGE = "wheel.scheduler.task.success.age";
    public static final String TASK_OVERRUNS = "wheel.scheduler.task.overruns";
    public static final String TASK_MISSED = "wheel.scheduler.task.missed";

    // The tags.

    /** The name of the scheduler, which every meter has. */
    public static final String TAG_NAME = "name";

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

    private MeterNames() {}
}
