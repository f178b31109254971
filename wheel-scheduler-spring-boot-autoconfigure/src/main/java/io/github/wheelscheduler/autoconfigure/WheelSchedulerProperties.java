package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.UnusableSettingException;
import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import io.github.wheelscheduler.spring.SchedulerMode;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.watch.WarningLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the auto-configured scheduler. All bound values are usable.
 *
 * @param enabled Whether scheduled tasks run on the timing wheel instead of on Spring Boot's own scheduler.
 * @param mode What becomes of scheduled tasks: run, halted (due tasks are held back until the mode changes), or off (they never
 *     run). Tasks that are executed, submitted or triggered by hand run in any case.
 * @param tick How far a start time may be rounded up, between 1us and 1s. A fine tick costs no wake-ups.
 * @param maxPending Maximum number of tasks that are pending or repeating. Further tasks are rejected. Unlimited unless set.
 * @param node Name of this node among others that run the same tasks, for a jitter that is fixed. The name of the machine unless set.
 * @param unknownSettings What is done about a property of a single task or a group that ends in no setting. One in the environment is
 *     warned of in any case.
 * @param unknownTasks What is done about settings for an id that no task has when the application is ready. Those in the environment
 *     are warned of in any case.
 * @param maxCatchUp Maximum number of missed runs that a fixed-rate task makes up. 0 goes on with the next run in phase.
 */
@ConfigurationProperties(WheelSchedulerProperties.PREFIX)
record WheelSchedulerProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("run") SchedulerMode mode,
        @DefaultValue("16384ns") Duration tick,
        @DefaultValue Worker worker,
        @Nullable Long maxPending,
        @DefaultValue("10") int maxCatchUp,
        @DefaultValue Shutdown shutdown,
        @DefaultValue Warn warn,
        @DefaultValue Overdue overdue,
        @DefaultValue Health health,
        @Nullable String node,
        @DefaultValue("fail") OnUnknown unknownSettings,
        @DefaultValue("warn") OnUnknown unknownTasks) {

    static final String PREFIX = "wheel.scheduler";

    WheelSchedulerProperties {
        UnusableSettingException.unless(
                tick.compareTo(WheelScheduledExecutorBuilder.MIN_TICK) >= 0
                        && tick.compareTo(WheelScheduledExecutorBuilder.MAX_TICK) <= 0,
                PREFIX + ".tick",
                tick,
                "must be between 1us and 1s",
                "1ms");
        UnusableSettingException.unless(
                maxPending == null || maxPending >= 1,
                PREFIX + ".max-pending",
                maxPending,
                "must be at least 1",
                "100000");
        UnusableSettingException.unless(
                maxCatchUp >= 0, PREFIX + ".max-catch-up", maxCatchUp, "must not be negative", "0");
        UnusableSettingException.unless(
                node == null || !node.isBlank(), PREFIX + ".node", node, "must not be blank", "node-1");
    }

    /** Applies everything except the limit of workers, which not only this decides. */
    void applyTo(WheelTaskScheduler scheduler) {
        scheduler.setMode(mode);
        scheduler.setTick(tick);
        scheduler.setWorkerKeepAlive(worker.keepAlive());
        scheduler.setMaxCatchUp(maxCatchUp);
        scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(shutdown.executeDelayedTasks());
        scheduler.setWarningLimits(warn.toLimits());
        scheduler.getTaskRegistry().setOverdueGrace(overdue.grace(), overdue.shortestGrace());
        if (node != null) {
            scheduler.setNode(node);
        }
        if (maxPending != null) {
            scheduler.setMaxPending(maxPending);
        }
    }

    private static void requireNotNegative(String setting, @Nullable Duration value, String example) {
        UnusableSettingException.unless(
                value == null || !value.isNegative(), PREFIX + setting, value, "must not be negative", example);
    }

    /**
     * Settings of the threads that run tasks.
     *
     * @param maxSize Maximum number of tasks that run at a time. If not set, it is what you set
     *     spring.task.scheduling.pool.size to, else 256. With virtual threads, it is what you set
     *     spring.task.scheduling.simple.concurrency-limit to, else unlimited.
     * @param keepAlive How long a worker thread stays idle before it ends. Doesn't have an effect if virtual threads are
     *     enabled.
     */
    record Worker(
            @Nullable Integer maxSize, @DefaultValue("60s") Duration keepAlive) {

        Worker {
            UnusableSettingException.unless(
                    maxSize == null || maxSize >= 1, PREFIX + ".worker.max-size", maxSize, "must be at least 1", "16");
            requireNotNegative(".worker.keep-alive", keepAlive, "60s");
        }
    }

    /**
     * Settings of the shutdown, beside those of spring.task.scheduling.shutdown.
     *
     * @param executeDelayedTasks Whether one-time tasks that are not due yet still run if the shutdown waits for tasks. If a
     *     period limits that, only those run that are due within it.
     */
    record Shutdown(@DefaultValue("true") boolean executeDelayedTasks) {}

    /**
     * When the log says that something is wrong.
     *
     * @param oversleep How much later than its time the tick thread may hand over a task before a warning is logged. 0 for never.
     * @param queueWait How long a due task may wait for a worker before a warning is logged. 0 for never.
     * @param run How long a run may take before the stack of its thread is logged. Unlimited unless set, or with 0.
     * @param interruptRun How long a run of a registered task may take before it is interrupted. Unlimited unless set, or with 0.
     */
    record Warn(
            @DefaultValue("500ms") Duration oversleep,
            @DefaultValue("1s") Duration queueWait,
            @Nullable Duration run,
            @Nullable Duration interruptRun) {

        Warn {
            requireNotNegative(".warn.oversleep", oversleep, "500ms");
            requireNotNegative(".warn.queue-wait", queueWait, "1s");
            requireNotNegative(".warn.run", run, "30s");
            requireNotNegative(".warn.interrupt-run", interruptRun, "10m");
            UnusableSettingException.unless(
                    run == null
                            || run.isZero()
                            || interruptRun == null
                            || interruptRun.isZero()
                            || interruptRun.compareTo(run) >= 0,
                    PREFIX + ".warn.interrupt-run",
                    interruptRun,
                    "must not be shorter than " + PREFIX + ".warn.run, which is " + run,
                    String.valueOf(run));
        }

        WarningLimits toLimits() {
            return new WarningLimits(oversleep, queueWait, run, interruptRun);
        }
    }

    /**
     * When a task counts as overdue.
     *
     * @param grace How late a task may be before it counts as overdue, as a share of its interval.
     * @param shortestGrace How late a task may be before it counts as overdue, however short its interval is.
     */
    record Overdue(
            @DefaultValue("1.0") double grace,
            @DefaultValue("1s") Duration shortestGrace) {

        Overdue {
            UnusableSettingException.unless(
                    grace >= 0, PREFIX + ".overdue.grace", grace, "must not be negative", "0.5");
            requireNotNegative(".overdue.shortest-grace", shortestGrace, "1s");
        }
    }

    /**
     * Settings of the health indicator.
     *
     * @param stuckLimit For how long the tick thread may be overdue before the health is down.
     * @param pausedStatus Status of the health while the scheduler is paused, such as UP or OUT_OF_SERVICE.
     */
    record Health(
            @DefaultValue("10s") Duration stuckLimit,
            @DefaultValue("UP") String pausedStatus) {

        Health {
            UnusableSettingException.unless(
                    !pausedStatus.isBlank(),
                    PREFIX + ".health.paused-status",
                    pausedStatus,
                    "must not be blank",
                    "OUT_OF_SERVICE");
            UnusableSettingException.unless(
                    !(stuckLimit.isNegative() || stuckLimit.isZero()),
                    PREFIX + ".health.stuck-limit",
                    stuckLimit,
                    "must be positive",
                    "10s");
        }
    }
}
