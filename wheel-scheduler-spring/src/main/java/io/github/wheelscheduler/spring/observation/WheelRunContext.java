package io.github.wheelscheduler.spring.observation;

import io.micrometer.observation.Observation;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The context of the observation of one run of a task that Spring does not observe: one under a name, or one that the
 * application has scheduled by a call. Its observation is named {@value WheelRunObservationConvention#NAME}.
 *
 * <p>Handlers and conventions read it on the thread of the run.
 */
public final class WheelRunContext extends Observation.Context {

    /** Why a run takes place. */
    public enum Trigger {

        /** It is due. */
        SCHEDULE,

        /** It was triggered outside of its schedule. */
        BY_HAND,

        /** A run of a durable task before it has failed. */
        RETRY
    }

    /** The end of a run. */
    public enum Outcome {

        /** Well. */
        SUCCESS,

        /** It has failed, or its transaction has. */
        ERROR,

        /** The database has not answered whether the transaction of the run is committed. */
        UNKNOWN
    }

    /**
     * The facts of a run of a durable task.
     *
     * @param number 1, and one more after each failure
     * @param node the name of the node that it is on
     * @param failed the span of the attempt that has failed before it; null for none
     */
    public record Attempt(int number, String node, @Nullable RunOrigin failed) {

        public Attempt {
            Objects.requireNonNull(node, "node must not be null");
        }
    }

    private final String taskId;
    private final @Nullable String taskName;
    private final String scheduler;
    private final Trigger trigger;
    private final @Nullable Duration lateness;
    private final @Nullable RunOrigin origin;
    private final @Nullable Attempt attempt;
    private List<RunOrigin> furtherOrigins = List.of();
    private @Nullable Outcome outcome;

    /** Makes the context of a run that begins, of a task in memory. */
    public WheelRunContext(
            String taskId,
            @Nullable String taskName,
            String scheduler,
            Trigger trigger,
            @Nullable Duration lateness,
            @Nullable RunOrigin origin) {
        this(taskId, taskName, scheduler, trigger, lateness, origin, null);
    }

    /**
     * Makes the context of a run that begins.
     *
     * @param taskId the id of the task; of a one-time timer, the name of its class
     * @param taskName the name that the application has given the task, which several tasks may have; null for none
     * @param scheduler the bean name of the scheduler or, if it is no bean, the prefix of its threads
     * @param lateness the time from its due time to its start; null if that is unknown
     * @param origin the span of the call that requested the run; null for none
     * @param attempt the attempt of a run of a durable task; null for any other task
     */
    public WheelRunContext(
            String taskId,
            @Nullable String taskName,
            String scheduler,
            Trigger trigger,
            @Nullable Duration lateness,
            @Nullable RunOrigin origin,
            @Nullable Attempt attempt) {
        this.taskId = Objects.requireNonNull(taskId, "taskId must not be null");
        this.taskName = taskName;
        this.scheduler = Objects.requireNonNull(scheduler, "scheduler must not be null");
        this.trigger = Objects.requireNonNull(trigger, "trigger must not be null");
        this.lateness = lateness;
        this.origin = origin;
        this.attempt = attempt;
    }

    /** Returns the id of the task; of a one-time timer, the name of its class. */
    public String getTaskId() {
        return taskId;
    }

    /** Returns the name that the application has given the task, which several tasks may have; null for none. */
    public @Nullable String getTaskName() {
        return taskName;
    }

    /** Returns the bean name of the scheduler or, if it is no bean, the prefix of its threads. */
    public String getScheduler() {
        return scheduler;
    }

    /** Returns why the run takes place. */
    public Trigger getTrigger() {
        return trigger;
    }

    /** Returns how long after its due time the run started; null of a one-time timer, and of a run by hand. */
    public @Nullable Duration getLateness() {
        return lateness;
    }

    /**
     * Returns the span that was current when a one-time task was scheduled, that of its {@code schedule} for a durable
     * one, or, of a run by hand, when it was asked for;
     * null if none was.
     */
    public @Nullable RunOrigin getOrigin() {
        return origin;
    }

    /**
     * Returns the spans of further callers, to which the span of the run has a link: of a batch of keyed timers, which
     * several calls may have set; empty for any other run.
     */
    public List<RunOrigin> getFurtherOrigins() {
        return furtherOrigins;
    }

    /** Sets the spans of further callers; before the observation starts. */
    public void setFurtherOrigins(List<RunOrigin> furtherOrigins) {
        this.furtherOrigins = List.copyOf(furtherOrigins);
    }

    /** Returns the attempt of a run of a durable task; null for a task in memory. */
    public @Nullable Attempt getAttempt() {
        return attempt;
    }

    /** Returns the outcome of the run; of a current run, {@link Outcome#SUCCESS} as long as it has not failed. */
    public Outcome getOutcome() {
        Outcome known = outcome;
        return known != null ? known : getError() == null ? Outcome.SUCCESS : Outcome.ERROR;
    }

    /** Sets the outcome if the failure of the run, or its absence, does not tell it. */
    public void setOutcome(Outcome outcome) {
        this.outcome = Objects.requireNonNull(outcome, "outcome must not be null");
    }

    /** Returns the simple name of the failure's class; null if the run has not failed. */
    public @Nullable String getFailureName() {
        Throwable failure = getError();
        return failure == null ? null : failure.getClass().getSimpleName();
    }
}
