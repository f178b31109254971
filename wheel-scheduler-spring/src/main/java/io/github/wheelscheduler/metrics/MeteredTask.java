package io.github.wheelscheduler.metrics;

import io.github.wheelscheduler.internal.meter.MeterGroup;
import io.github.wheelscheduler.spring.run.RunOutcome;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** The meters of one task. */
final class MeteredTask {

    private final MeterGroup group;
    private final Timer successes;
    private final Timer errors;
    private final Timer lateness;
    private final Counter overruns;
    private final Counter missed;

    /** Since the epoch; not a number as long as no run has succeeded. Writer: the run. Readers: scrapes. */
    private volatile double lastSuccessMillis;

    private final Clock clock;

    /**
     * The last success by the registry's clock; before the first one, when this was made. Writer: the run. Readers:
     * scrapes.
     */
    private volatile long succeededMillis;

    /** Writer: a caller that re-times the task. Readers: scrapes. */
    private volatile boolean repeating;

    private MeteredTask(MeterGroup group, TaskInfo task) {
        this.group = group;
        this.clock = group.registry().config().clock();
        this.succeededMillis = clock.wallTime();
        Instant lastSuccess = task.lastSuccess();
        this.lastSuccessMillis = lastSuccess == null ? Double.NaN : lastSuccess.toEpochMilli();
        this.repeating = task.schedule().isRepeating();
        this.successes = registerRuns("SUCCESS");
        this.errors = registerRuns("ERROR");
        this.lateness = group.timer(MeterNames.TASK_LATENESS, UnaryOperator.identity());
        this.overruns = group.counter(MeterNames.TASK_OVERRUNS, "overruns");
        this.missed = group.counter(MeterNames.TASK_MISSED, SchedulerMeters.RUNS);
        group.timeGauge(MeterNames.TASK_LAST_SUCCESS, TimeUnit.MILLISECONDS, this, source -> source.lastSuccessMillis);
        group.timeGauge(MeterNames.TASK_SUCCESS_AGE, TimeUnit.MILLISECONDS, this, MeteredTask::successAgeMillis);
    }

    /** Registers the meters of a task, or none if the registry throws. */
    static MeteredTask register(TaskInfo task, MeterGroup schedulers) {
        MeterGroup group = schedulers.apart(MeterNames.TAG_TASK, task.id());
        return group.allOrNone(() -> new MeteredTask(group, task));
    }

    private Timer registerRuns(String outcome) {
        return group.tagged(MeterNames.TAG_OUTCOME, outcome).timer(MeterNames.TASK_RUN, UnaryOperator.identity());
    }

    /** An alert on the age of a one-time task would fire forever. */
    private double successAgeMillis() {
        return repeating ? Math.max(0, clock.wallTime() - succeededMillis) : Double.NaN;
    }

    /** Takes note whether the task repeats, as it may be re-timed. */
    void setRepeating(boolean repeating) {
        this.repeating = repeating;
    }

    void ran(RunOutcome outcome, boolean overran) {
        if (outcome.isSuccess()) {
            succeededMillis = clock.wallTime();
            lastSuccessMillis = outcome.startedAt().plus(outcome.duration()).toEpochMilli();
        }
        (outcome.isSuccess() ? successes : errors).record(outcome.duration());
        if (!outcome.triggered()) {
            lateness.record(outcome.lateness());
        }
        if (overran) {
            overruns.increment();
        }
    }

    void missed(long runs) {
        missed.increment((double) runs);
    }

    void remove() {
        group.remove();
    }
}
