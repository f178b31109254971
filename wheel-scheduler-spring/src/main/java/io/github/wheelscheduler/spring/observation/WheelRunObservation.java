package io.github.wheelscheduler.spring.observation;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a scheduler's observation of runs, see {@link WheelTaskScheduler#setRunObservation}.
 *
 * @param registry used for each run, on its thread
 * @param which the tasks that are observed
 * @param convention null for that of the registry or, if it has none, the default one
 * @param origins returns the current span, and whether a run may continue its trace; null if there is none. It is asked
 *     by each call that schedules a one-time task to be observed, or asks for a run, and by each observed run for its
 *     own span, which lines of other threads name. Null for no links
 * @param childWithin a one-time task that is due within this time continues the trace of its caller
 */
public record WheelRunObservation(
        Supplier<ObservationRegistry> registry,
        ObservedTasks which,
        @Nullable WheelRunObservationConvention convention,
        @Nullable Supplier<@Nullable RunOrigin> origins,
        Duration childWithin) {

    /** The usual time within which a run continues the trace of its caller. */
    public static final Duration DEFAULT_CHILD_WITHIN = Duration.ofSeconds(5);

    public WheelRunObservation {
        Objects.requireNonNull(registry, "registry must not be null");
        Objects.requireNonNull(which, "which must not be null");
        Objects.requireNonNull(childWithin, "childWithin must not be null");
        if (childWithin.isNegative()) {
            throw new IllegalArgumentException("childWithin must not be negative, was " + childWithin);
        }
    }

    /** Observes runs without links to the spans of their callers. */
    public WheelRunObservation(
            Supplier<ObservationRegistry> registry,
            ObservedTasks which,
            @Nullable WheelRunObservationConvention convention) {
        this(registry, which, convention, null, DEFAULT_CHILD_WITHIN);
    }
}
