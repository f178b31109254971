package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.durable.DurableEngine;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the meters of durable tasks, where there is a {@link MeterRegistry}. */
@AutoConfiguration(
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
        after = DurableAutoConfiguration.class)
@ConditionalOnClass({MeterRegistry.class, DurableEngine.class})
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnSingleCandidate(DurableEngine.class)
public final class DurableMetricsAutoConfiguration {

    @Bean
    DurableMeters wheelDurableMeters(MeterRegistry registry) {
        return new DurableMeters(registry);
    }

    @Bean
    static SmartInitializingSingleton wheelDurableMeterBinding(
            ObjectProvider<DurableMeters> meters, ObjectProvider<DurableEngine> engine) {
        return () -> meters.getObject().bind(engine.getObject());
    }
}
