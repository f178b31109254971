package io.github.wheelscheduler.spring.observation;

import io.micrometer.observation.Observation;
import java.time.Duration;
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

        /** Someone has asked for it, outside of its schedule. */
        BY_HAND
    }

    private final String taskId;
    private final @Nullable String taskName;
    private final String scheduler;
    private final Trigger trigger;
    private final @Nullable Duration lateness;

    /**
     * Makes the context of a run that begins.
     *
     * @param taskId the id of the task; of a one-time timer, the name of its class
     * @param taskName the name that the application has given the task, which several tasks may have; null for none
     * @param scheduler the bean name of the scheduler or, if it is no bean, the prefix of its threads
     * @param lateness how long after its due time it starts; null if that is unknown
     */
    public WheelRunContext(
            String taskId, @Nullable String taskName, String scheduler, Trigger trigger, @Nullable Duration lateness) {
        this.taskId = Objects.requireNonNull(taskId, "taskId must not be null");
        this.taskName = taskName;
        this.scheduler = Objects.requireNonNull(scheduler, "scheduler must not be null");
        this.trigger = Objects.requireNonNull(trigger, "trigger must not be null");
        this.lateness = lateness;
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

    /** Returns the simple name of the failure's class; null if the run has not failed. */
    public @Nullable String getFailureName() {
        Throwable failure = getError();
        return failure == null ? null : failure.getClass().getSimpleName();
    }
}
