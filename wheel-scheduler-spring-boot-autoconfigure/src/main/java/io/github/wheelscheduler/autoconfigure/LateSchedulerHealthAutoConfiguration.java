package io.github.wheelscheduler.autoconfigure;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/** Auto-configuration of the health of schedulers that are not declared as what they are. */
@AutoConfiguration(
        after = {WheelSchedulerHealthAutoConfiguration.class, TimerWheelAutoConfiguration.class},
        before = TaskSchedulingAutoConfiguration.class)
@ConditionalOnClass({HealthContributor.class, ConditionalOnEnabledHealthIndicator.class})
@Conditional(OnPossibleWheelSchedulerCondition.class)
@ConditionalOnEnabledHealthIndicator("wheelscheduler")
@EnableConfigurationProperties(WheelSchedulerProperties.class)
public final class LateSchedulerHealthAutoConfiguration {

    @Bean
    LateSchedulerHealth lateSchedulerHealth(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<HealthContributorRegistry> registry,
            WheelSchedulerProperties properties) {
        return new LateSchedulerHealth(beanFactory, registry, properties.health());
    }
}
