package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.observation.ObservedTasks;
import io.github.wheelscheduler.spring.observation.WheelRunObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Auto-configuration of observing runs that Spring does not observe, where {@code wheel.scheduler.observe} asks for it. */
@AutoConfiguration
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnProperty(WheelRunObservationAutoConfiguration.OBSERVE)
public final class WheelRunObservationAutoConfiguration {

    static final String OBSERVE = WheelSchedulerProperties.PREFIX + ".observe";

    @Bean
    static ObservedSchedulers wheelObservedSchedulers(
            Environment environment,
            ObjectProvider<ObservationRegistry> registry,
            ObjectProvider<WheelRunObservationConvention> convention) {
        ObservedTasks which =
                Binder.get(environment).bind(OBSERVE, ObservedTasks.class).orElse(ObservedTasks.ANNOTATED);
        return new ObservedSchedulers(which, registry, convention);
    }
}
