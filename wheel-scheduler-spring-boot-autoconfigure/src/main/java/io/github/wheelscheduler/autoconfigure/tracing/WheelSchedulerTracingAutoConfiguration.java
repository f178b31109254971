package io.github.wheelscheduler.autoconfigure.tracing;

import io.micrometer.observation.ObservationHandler;
import io.micrometer.tracing.handler.TracingObservationHandler;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration of what tells which trace a run that has failed belongs to: with Micrometer Tracing, that of Spring's observation of the
 * run; else what the context of the log says, as {@code traceId}.
 */
@AutoConfiguration
public final class WheelSchedulerTracingAutoConfiguration {

    @Bean
    static TraceIds wheelSchedulerTraceIds() {
        return new TraceIds();
    }

    /** Where failures are seen within a trace. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({ObservationHandler.class, TracingObservationHandler.class})
    static final class Observed {

        @Bean
        static TracedFailures wheelSchedulerTracedFailures() {
            return new TracedFailures();
        }
    }
}
