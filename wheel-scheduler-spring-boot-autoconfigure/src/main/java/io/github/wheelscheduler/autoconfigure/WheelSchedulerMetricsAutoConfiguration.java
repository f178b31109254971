package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.metrics.WheelSchedulerMetrics;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of {@linkplain WheelSchedulerMetrics meters} for every {@link WheelTaskScheduler} bean, the
 * application's own included, and of beans that are keyed timers, idle timeouts, leases or a timer of Netty on the
 * wheel, where there is a {@link MeterRegistry}.
 *
 * <p>Where Boot has given a scheduler the meters of a thread pool before, those stay, and the rest is added: no meter
 * is there twice.
 */
@AutoConfiguration(after = CompositeMeterRegistryAutoConfiguration.class)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@EnableConfigurationProperties(WheelSchedulerMetricsProperties.class)
public final class WheelSchedulerMetricsAutoConfiguration {

    @Bean
    static SchedulerMeterBinding wheelSchedulerMeterBinding(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<MeterRegistry> registry,
            ObjectProvider<WheelSchedulerMetricsProperties> properties) {
        return new SchedulerMeterBinding(beanFactory, registry, properties);
    }
}
