package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.observation.WheelRunObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of observing runs that Spring does not observe, where {@code wheel.scheduler.observe} asks for it. */
@AutoConfiguration
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnProperty(WheelSchedulerProperties.PREFIX + ".observe")
public final class WheelRunObservationAutoConfiguration {

    @Bean
    static ObservedSchedulers wheelObservedSchedulers(
            ObjectProvider<WheelSchedulerProperties> properties,
            ObjectProvider<ObservationRegistry> registry,
            ObjectProvider<WheelRunObservationConvention> convention) {
        return new ObservedSchedulers(properties, registry, convention);
    }
}
