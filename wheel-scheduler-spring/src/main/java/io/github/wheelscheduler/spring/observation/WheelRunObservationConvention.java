package io.github.wheelscheduler.spring.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * The name and the keys of observations of runs; a bean of this type replaces {@link
 * DefaultWheelRunObservationConvention}.
 */
public interface WheelRunObservationConvention extends ObservationConvention<WheelRunContext> {

    /** The name of these observations. */
    String NAME = "wheel.scheduler.execution";

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof WheelRunContext;
    }
}
