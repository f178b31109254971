package io.github.wheelscheduler.autoconfigure;

import io.micrometer.observation.ObservationHandler;
import io.micrometer.tracing.handler.TracingObservationHandler;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the source of the trace ids of failed runs: Spring's observation of the run. Without Micrometer
 * Tracing, it is what the context of the log says, as {@code traceId}.
 */
@AutoConfiguration
@ConditionalOnClass({ObservationHandler.class, TracingObservationHandler.class})
public final class WheelSchedulerTracingAutoConfiguration {

    @Bean
    static TracedFailures wheelSchedulerTracedFailures() {
        return new TracedFailures();
    }
}
