package io.github.wheelscheduler.metrics;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelSnapshot;
import io.github.wheelscheduler.internal.meter.MeterGroup;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.SkipReason;
import io.github.wheelscheduler.spring.watch.LatenessListener;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The meters of one scheduler in one registry. */
final class SchedulerMeters implements LatenessListener {

    /*
     * Most meters are read on a scrape. Single runs are recorded when they happen, by listeners: LatenessTimers records
     * how late they start, and TaskMeters how the runs of known tasks went.
     *
     * Registries hold weak references to the sources of meters. The scheduler holds its listeners, and this is one, so
     * it lives as
     * long as the scheduler.
     */

    static final String RUNS = "runs";

    private static final Duration SHORTEST_LATENESS = Duration.ofNanos(10_000);
    private static final Duration LONGEST_LATENESS = Duration.ofMinutes(1);

    private final WheelTaskScheduler scheduler;
    private final MeterGroup group;
    private final TaskMeters taskMeters;
    private final LatenessTimers lateness;

    private SchedulerMeters(WheelTaskScheduler scheduler, MeterGroup group, TaskMeters taskMeters) {
        this.scheduler = scheduler;
        this.group = group;
        this.taskMeters = taskMeters;
        this.lateness = new LatenessTimers(registerLateness("wheel"), registerLateness("queue"));

        // The workers.
        ofWorkers(MeterNames.EXECUTOR_POOL_SIZE, BaseUnits.THREADS, WheelScheduledExecutor::workerCount);
        ofWorkers(MeterNames.EXECUTOR_POOL_CORE, BaseUnits.THREADS, WheelScheduledExecutor::coreWorkers);
        ofWorkers(MeterNames.EXECUTOR_POOL_MAX, BaseUnits.THREADS, WheelScheduledExecutor::maxWorkers);
        ofWorkers(MeterNames.EXECUTOR_ACTIVE, BaseUnits.THREADS, WheelScheduledExecutor::activeCount);
        ofWorkers(MeterNames.EXECUTOR_QUEUED, BaseUnits.TASKS, WheelScheduledExecutor::pendingCount);
        if (scheduler.getWheelScheduledExecutor().maxPending() != Long.MAX_VALUE) {
            ofWorkers(MeterNames.EXECUTOR_QUEUE_REMAINING, BaseUnits.TASKS, WheelScheduledExecutor::remainingPending);
        }
        if (!group.adopts(MeterNames.EXECUTOR_COMPLETED)) {
            group.counter(
                    MeterNames.EXECUTOR_COMPLETED,
                    BaseUnits.TASKS,
                    scheduler,
                    source -> source.getScheduledThreadPoolExecutor().getCompletedTaskCount());
        }

        // The way of a timer.
        counter(MeterNames.SCHEDULED, BaseUnits.TASKS, seen -> seen.totals().scheduled());
        counter(MeterNames.REJECTED, BaseUnits.TASKS, seen -> seen.totals().rejected());
        counter(MeterNames.CANCELLED, BaseUnits.TASKS, seen -> seen.totals().cancelled());
        counter(MeterNames.FIRED, RUNS, seen -> seen.totals().fired());
        group.counter(MeterNames.FAILED, RUNS, scheduler, WheelTaskScheduler::getFailedRuns);
        for (SkipReason reason : SkipReason.values()) {
            group.tagged(MeterNames.TAG_REASON, reason.tag())
                    .counter(MeterNames.SKIPPED, RUNS, this, source -> source.skips(reason));
        }
        gauge(MeterNames.INBOX, BaseUnits.MESSAGES, seen -> seen.snapshot().inbox());
        gauge(MeterNames.PENDING, BaseUnits.TASKS, WheelScheduledExecutor::pendingCount);
        gauge(MeterNames.READY, BaseUnits.TASKS, WheelScheduledExecutor::readyCount);
        timeGauge(MeterNames.READY_AGE, WheelSnapshot::oldestReady);

        group.gauge(MeterNames.PAUSED, "paused", scheduler, source -> source.getPausedAt() == null ? 0 : 1);

        // The tick thread.
        counter(MeterNames.WAKEUPS, "wakeups", seen -> seen.tick().wakeUps());
        group.timer(
                MeterNames.TICK_OVERSLEEP,
                this,
                source -> source.snapshot().tick().oversleeps(),
                source -> source.snapshot().tick().overslept().toNanos());
        timeGauge(MeterNames.TICK_OVERSLEEP_MAX, seen -> seen.tick().longestOversleep());

        taskMeters.registerCounts();
    }

    /** Registers the meters of the scheduler, or none if the registry throws. */
    static SchedulerMeters bind(WheelTaskScheduler scheduler, MeterGroup group, TaskMeters taskMeters) {
        return group.allOrNone(() -> {
            SchedulerMeters meters = new SchedulerMeters(scheduler, group, taskMeters);
            scheduler.getLateness().addListener(meters);
            scheduler.getTaskRegistry().addListener(taskMeters);
            return meters;
        });
    }

    private long skips(SkipReason reason) {
        return switch (reason) {
            // The registry has instants of crons, and runs that settings leave out.
            case MISSED ->
                snapshot().totals().skipped() + scheduler.getTaskRegistry().skips(reason);
            case FULL -> snapshot().totals().refusedRuns();
            case PAUSED, RUNNING -> scheduler.getTaskRegistry().skips(reason);
        };
    }

    private Timer registerLateness(String stage) {
        return group.tagged(MeterNames.TAG_STAGE, stage)
                .timer(
                        MeterNames.LATENESS,
                        timer -> timer.minimumExpectedValue(SHORTEST_LATENESS).maximumExpectedValue(LONGEST_LATENESS));
    }

    /**
     * Adds a gauge of the workers, unless Micrometer's own binder has, as Spring Boot lets it: the same, of the
     * scheduler's thread pool.
     */
    private void ofWorkers(String name, String unit, ToDoubleFunction<WheelScheduledExecutor> value) {
        if (!group.adopts(name)) {
            gauge(name, unit, value);
        }
    }

    private void gauge(String name, String unit, ToDoubleFunction<WheelScheduledExecutor> value) {
        group.gauge(name, unit, this, source -> value.applyAsDouble(source.executor()));
    }

    private void timeGauge(String name, Function<WheelSnapshot, Duration> value) {
        group.timeGauge(
                name,
                TimeUnit.NANOSECONDS,
                this,
                source -> value.apply(source.snapshot()).toNanos());
    }

    private void counter(String name, String unit, ToDoubleFunction<WheelSnapshot> count) {
        group.counter(name, unit, this, source -> count.applyAsDouble(source.snapshot()));
    }

    private WheelSnapshot snapshot() {
        return executor().snapshot();
    }

    /** Returns the executor for a scrape, for which the timers are brought up to date. */
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
        lateness.close();
        scheduler.getTaskRegistry().removeListener(taskMeters);
        try {
            taskMeters.remove();
        } finally {
            group.remove();
        }
    }
}
