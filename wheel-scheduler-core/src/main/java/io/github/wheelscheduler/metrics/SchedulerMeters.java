package io.github.wheelscheduler.metrics;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelSnapshot;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.SkipReason;
import io.github.wheelscheduler.spring.watch.LatenessListener;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The meters of one scheduler in one registry. */
final class SchedulerMeters implements LatenessListener {

    /*
     * Most meters are read on a scrape. Single runs are recorded when they happen, by listeners: LatenessTimers records how
     * late they start, and TaskMeters how the runs of known tasks went.
     *
     * Registries hold weakly what meters are read from. The scheduler holds its listeners, and this is one, so it lives as
     * long as the scheduler.
     */

    static final String RUNS = "runs";

    private static final Duration SHORTEST_LATENESS = Duration.ofNanos(10_000);
    private static final Duration LONGEST_LATENESS = Duration.ofMinutes(1);

    private final WheelTaskScheduler scheduler;
    private final MeterGroup group;
    private final TaskMeters taskMeters;
    private final LatenessTimers lateness;

    /** The scheduler gets another one when it is initialized again. Guarded by this. */
    private @Nullable WheelScheduledExecutor completing;

    /** How many runs of it have ended. Guarded by this. */
    private long completed;

    private SchedulerMeters(WheelTaskScheduler scheduler, MeterGroup group, TaskMeters taskMeters) {
        this.scheduler = scheduler;
        this.group = group;
        this.taskMeters = taskMeters;
        this.lateness = new LatenessTimers(registerLateness("wheel"), registerLateness("queue"));

        // The workers.
        gauge(MeterNames.EXECUTOR_POOL_SIZE, BaseUnits.THREADS, WheelScheduledExecutor::workerCount);
        gauge(MeterNames.EXECUTOR_POOL_CORE, BaseUnits.THREADS, WheelScheduledExecutor::coreWorkers);
        gauge(MeterNames.EXECUTOR_POOL_MAX, BaseUnits.THREADS, WheelScheduledExecutor::maxWorkers);
        gauge(MeterNames.EXECUTOR_ACTIVE, BaseUnits.THREADS, WheelScheduledExecutor::activeCount);
        gauge(MeterNames.EXECUTOR_QUEUED, BaseUnits.TASKS, WheelScheduledExecutor::pendingCount);
        if (scheduler.getWheelScheduledExecutor().maxPending() != Long.MAX_VALUE) {
            gauge(MeterNames.EXECUTOR_QUEUE_REMAINING, BaseUnits.TASKS, WheelScheduledExecutor::remainingPending);
        }
        group.counter(MeterNames.EXECUTOR_COMPLETED, BaseUnits.TASKS, this, SchedulerMeters::completedRuns);

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

    /**
     * Returns how many runs have ended: the number that has started, less the number that goes on. The two are not of one moment, so the
     * count is kept from falling, which would look like a restart. At rest it is exact.
     */
    private synchronized long completedRuns() {
        WheelScheduledExecutor current = scheduler.getWheelScheduledExecutor();
        if (current != completing) {
            completing = current;
            completed = 0;
        }
        // In this order: a run that ends in between is not missed, and one that starts in between is not counted yet.
        long started = current.snapshot().totals().fired();
        completed = Math.max(completed, started - current.activeCount());
        return completed;
    }

    private long skips(SkipReason reason) {
        return switch (reason) {
            case MISSED -> snapshot().totals().skipped();
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
        scheduler.getTaskRegistry().removeListener(taskMeters);
        try {
            taskMeters.remove();
        } finally {
            group.remove();
        }
    }
}
