package io.github.wheelscheduler.spring.observation;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.micrometer.observation.ObservationRegistry;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a scheduler observes runs, see {@link WheelTaskScheduler#setRunObservation}.
 *
 * @param registry is asked at each run, on its thread
 * @param which which tasks are observed
 * @param convention null for that of the registry or, if it has none, the default one
 */
public record WheelRunObservation(
        Supplier<ObservationRegistry> registry,
        ObservedTasks which,
        @Nullable WheelRunObservationConvention convention) {

    public WheelRunObservation {
        Objects.requireNonNull(registry, "registry must not be null");
        Objects.requireNonNull(which, "which must not be null");
    }
}
