package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.internal.spring.observation.UnobservedRuns;
import io.github.wheelscheduler.spring.observation.WheelRunObservation;
import io.github.wheelscheduler.spring.observation.WheelRunObservationConvention;
import io.micrometer.observation.ObservationPredicate;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.TracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.scheduling.support.ScheduledTaskObservationContext;
import org.springframework.util.function.SingletonSupplier;

/**
 * Auto-configuration of observing runs that Spring does not observe, where {@code wheel.scheduler.observe} asks for it.
 */
@AutoConfiguration(
        afterName = "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnProperty(WheelSchedulerProperties.PREFIX + ".observe")
public final class WheelRunObservationAutoConfiguration {

    /** The registry is looked up at the first run: it may need the whole application. */
    @Bean
    @ConditionalOnMissingBean
    // NullAway: it reads the type argument of a record's component in a jar without its annotation, on JDK 25.
    @SuppressWarnings("NullAway")
    static WheelRunObservation wheelRunObservation(
            ObjectProvider<WheelSchedulerProperties> properties,
            ObjectProvider<ObservationRegistry> registry,
            ObjectProvider<WheelRunObservationConvention> convention,
            ObjectProvider<SpanOrigins> origins) {
        WheelSchedulerProperties set = properties.getObject();
        return new WheelRunObservation(
                SingletonSupplier.of(() -> registry.getIfUnique(() -> ObservationRegistry.NOOP)),
                set.getObserve(),
                convention.getIfAvailable(),
                origins.getIfAvailable(),
                set.getTraceChildWithin());
    }

    @Bean
    static ObservedSchedulers wheelObservedSchedulers(ObjectProvider<WheelRunObservation> observation) {
        return new ObservedSchedulers(observation);
    }

    @Bean
    static AnnotatedRuns wheelAnnotatedRuns() {
        return new AnnotatedRuns();
    }

    @Bean
    static ObservationPredicate wheelUnobservedRuns() {
        return (name, context) ->
                !(context instanceof ScheduledTaskObservationContext && UnobservedRuns.isOnThisThread());
    }

    /** Calls of keyed timers, idle timeouts and leases that are beans. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "io.github.wheelscheduler.keyed.KeyedTimers")
    static class OfTimers {

        @Bean
        static ObservedTimers wheelObservedTimers(ObjectProvider<WheelRunObservation> observation) {
            return new ObservedTimers(observation);
        }
    }

    /** Links of spans, where Boot lets the first handler that fits make the span of an observation. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Tracer.class, TracingObservationHandler.class})
    @ConditionalOnBean(
            type = "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration")
    static class Links {

        /** Boot's usual handler, which takes any context, comes at the next place. */
        private static final int BEFORE_USUAL_HANDLER = Ordered.LOWEST_PRECEDENCE - 1_001;

        @Bean
        SpanOrigins wheelSpanOrigins(ObjectProvider<Tracer> tracer, ObjectProvider<ObservationRegistry> registry) {
            return new SpanOrigins(tracer, registry);
        }

        @Bean
        EndedSpans wheelEndedSpans(Tracer tracer) {
            return new EndedSpans(tracer);
        }

        @Bean
        @Order(BEFORE_USUAL_HANDLER)
        RunSpans wheelRunSpans(Tracer tracer, ObjectProvider<Propagator> propagator) {
            return new RunSpans(tracer, propagator.getIfUnique());
        }
    }
}
