package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.autoconfigure.WheelRunObservationAutoConfiguration;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.spring.observation.WheelRunObservation;
import io.micrometer.observation.ObservationRegistry;
import java.util.HashMap;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of observing runs of durable tasks, where {@code wheel.scheduler.observe} asks for it. */
@AutoConfiguration(after = {DurableAutoConfiguration.class, WheelRunObservationAutoConfiguration.class})
@ConditionalOnClass({ObservationRegistry.class, DurableEngine.class})
@ConditionalOnBean(WheelRunObservation.class)
@ConditionalOnSingleCandidate(DurableEngine.class)
public final class DurableObservationAutoConfiguration {

    /** The engine starts when all singletons are there. */
    @Bean
    static SmartInitializingSingleton wheelDurableObservation(
            ObjectProvider<DurableEngine> engine,
            ObjectProvider<WheelRunObservation> observation,
            ObjectProvider<DurableProperties> properties) {
        return () -> {
            Map<String, Boolean> ofHandlers = new HashMap<>();
            properties.getObject().handlers().forEach((name, settings) -> {
                if (settings.observe() != null) {
                    ofHandlers.put(name, settings.observe());
                }
            });
            engine.getObject().setRunObservation(observation.getObject(), ofHandlers);
        };
    }
}
