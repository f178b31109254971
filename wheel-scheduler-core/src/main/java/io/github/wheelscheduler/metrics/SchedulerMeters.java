package io.github.wheelscheduler.metrics;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelSnapshot;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.SkipReason;
import io.github.wheelscheduler.spring.watch.LatenessListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** The meters of one scheduler in one registry. */
final class SchedulerMeters implements LatenessListener {

    /*
     * Most meters are read when somebody looks. Only what happens to a single run is recorded when it happens, by whoever
     * is told of runs: LatenessTimers, of how late they start, and TaskMeters, of how those of known tasks went.
     *
     * Registries hold weakly what meters are read from. The scheduler holds its listeners, and this is one, so it lives as
     * long as the scheduler.
     */

    static final String RUNS = "runs";

    private static final String WAKEUPS = "wakeups";
    private static final Duration SHORTEST_LATENESS = Duration.ofNanos(10_000);
    private static final Duration LONGEST_LATENESS = Duration.ofMinutes(1);

    private final WheelTaskScheduler scheduler;
    private final MeterGroup group;
    private final CompletedRuns completedRuns;
    private final TaskMeters taskMeters;
    private final LatenessTimers lateness;

    private SchedulerMeters(WheelTaskScheduler scheduler, MeterGroup group, TaskMeters taskMeters) {
        this.scheduler = scheduler;
        this.group = group;
        this.taskMeters = taskMeters;
        this.completedRuns = new CompletedRuns(scheduler);
        this.lateness = new LatenessTimers(registerLateness("wheel"), registerLateness("queue"));
        registerExecutor();
        registerTimers();
        registerTickThread();
        taskMeters.registerCounts(group);
    }

    /** Registers the meters of the scheduler, or none if the registry throws. */
    static SchedulerMeters bind(
            WheelTaskScheduler scheduler,
            String name,
            int maxTasks,
            Predicate<String> includedTasks,
            MeterRegistry registry) {
        Tags tags = Tags.of(MeterNames.TAG_NAME, name);
        MeterGroup group = new MeterGroup(registry, tags);
        TaskMeters taskMeters = new TaskMeters(scheduler, maxTasks, includedTasks, registry, tags);
        try {
            SchedulerMeters meters = new SchedulerMeters(scheduler, group, taskMeters);
            scheduler.getLateness().addListener(meters);
            scheduler.getTaskRegistry().addListener(taskMeters);
            return meters;
        } catch (RuntimeException | Error ex) {
            group.removeBecauseOf(ex);
            throw ex;
        }
    }

    private void registerExecutor() {
        gauge(
                MeterNames.EXECUTOR_POOL_SIZE,
                BaseUnits.THREADS,
                "How many workers there are",
                WheelScheduledExecutor::workerCount);
        gauge(
                MeterNames.EXECUTOR_POOL_CORE,
                BaseUnits.THREADS,
                "How many workers stay though they have nothing to do",
                WheelScheduledExecutor::coreWorkers);
        gauge(
                MeterNames.EXECUTOR_POOL_MAX,
                BaseUnits.THREADS,
                "How many tasks may run at a time",
                WheelScheduledExecutor::maxWorkers);
        gauge(
                MeterNames.EXECUTOR_ACTIVE,
                BaseUnits.THREADS,
                "How many tasks are running",
                WheelScheduledExecutor::activeCount);
        gauge(
                MeterNames.EXECUTOR_QUEUED,
                BaseUnits.TASKS,
                "How many tasks wait for their time or for a worker",
                WheelScheduledExecutor::pendingCount);
        if (scheduler.getWheelScheduledExecutor().maxPending() != Long.MAX_VALUE) {
            gauge(
                    MeterNames.EXECUTOR_QUEUE_REMAINING,
                    BaseUnits.TASKS,
                    "How many more tasks are accepted",
                    WheelScheduledExecutor::remainingPending);
        }
        group.counter(
                MeterNames.EXECUTOR_COMPLETED,
                BaseUnits.TASKS,
                "How many runs have ended",
                completedRuns,
                CompletedRuns::count);
    }

    private void registerTimers() {
        counter(
                MeterNames.SCHEDULED,
                BaseUnits.TASKS,
                "How many tasks have become pending, each run of a repeating one counted",
                seen -> seen.totals().scheduled());
        counter(
                MeterNames.REJECTED,
                BaseUnits.TASKS,
                "How many tasks have not been accepted",
                seen -> seen.totals().rejected());
        counter(
                MeterNames.CANCELLED,
                BaseUnits.TASKS,
                "How many pending tasks have been cancelled",
                seen -> seen.totals().cancelled());
        counter(
                MeterNames.FIRED,
                RUNS,
                "How many runs have started",
                seen -> seen.totals().fired());
        group.counter(
                MeterNames.FAILED, RUNS, "How many runs have failed", scheduler, WheelTaskScheduler::getFailedRuns);
        for (SkipReason reason : SkipReason.values()) {
            group.tagged(MeterNames.TAG_REASON, reason.tag())
                    .counter(
                            MeterNames.SKIPPED,
                            RUNS,
                            "How many runs did not take place when they were due",
                            this,
                            source -> source.skips(reason));
        }
        gauge(
                MeterNames.INBOX,
                BaseUnits.MESSAGES,
                "How many messages the tick thread has not read",
                seen -> seen.snapshot().inbox());
        gauge(
                MeterNames.PENDING,
                BaseUnits.TASKS,
                "How many tasks wait for their time or for a worker",
                WheelScheduledExecutor::pendingCount);
        gauge(
                MeterNames.READY,
                BaseUnits.TASKS,
                "How many due tasks wait for a worker",
                WheelScheduledExecutor::readyCount);
        nanosGauge(
                MeterNames.READY_AGE,
                "How long the first due task has waited for a worker",
                seen -> seen.oldestReady().toNanos());
    }

    private long skips(SkipReason reason) {
        return switch (reason) {
            case MISSED -> snapshot().totals().skipped();
            case FULL -> snapshot().totals().refusedRuns();
            case PAUSED, RUNNING -> scheduler.getTaskRegistry().skips(reason);
        };
    }

    private void registerTickThread() {
        counter(
                MeterNames.WAKEUPS,
                WAKEUPS,
                "How often the tick thread has slept",
                seen -> seen.tick().wakeUps());
        group.timer(
                MeterNames.TICK_OVERSLEEP,
                "By how much the tick thread woke up too late",
                this,
                source -> source.snapshot().tick().oversleeps(),
                source -> source.snapshot().tick().overslept().toNanos());
        nanosGauge(
                MeterNames.TICK_OVERSLEEP_MAX,
                "By how much the tick thread woke up too late at most, in the last one to two minutes",
                seen -> seen.tick().longestOversleep().toNanos());
    }

    private Timer registerLateness(String stage) {
        return group.tagged(MeterNames.TAG_STAGE, stage)
                .timer(Timer.builder(MeterNames.LATENESS)
                        .description("How late runs start, by what they waited for")
                        .minimumExpectedValue(SHORTEST_LATENESS)
                        .maximumExpectedValue(LONGEST_LATENESS));
    }

    private void gauge(String name, String unit, String description, ToDoubleFunction<WheelScheduledExecutor> value) {
        group.gauge(name, unit, description, this, source -> value.applyAsDouble(source.executor()));
    }

    private void nanosGauge(String name, String description, ToDoubleFunction<WheelSnapshot> nanos) {
        group.timeGauge(
                name, TimeUnit.NANOSECONDS, description, this, source -> nanos.applyAsDouble(source.snapshot()));
    }

    private void counter(String name, String unit, String description, ToDoubleFunction<WheelSnapshot> count) {
        group.counter(name, unit, description, this, source -> count.applyAsDouble(source.snapshot()));
    }

    private WheelSnapshot snapshot() {
        return executor().snapshot();
    }

    /** Returns what is to be read; somebody looks, so timers had better be up to date. */
    private WheelScheduledExecutor executor() {
        lateness.catchUp();
        return scheduler.getWheelScheduledExecutor();
    }

    @Override
    public void starting(long wheelNanos, long queueNanos, long nowNanos) {
        lateness.starting(wheelNanos, queueNanos, nowNanos);
    }

    /** Removes all meters, and listens no more. */
    void remove() {
        scheduler.getLateness().removeListener(this);
        scheduler.getTaskRegistry().removeListener(taskMeters);
        try {
            taskMeters.remove();
        } finally {
            group.remove();
        }
    }
}
