package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Auto-configuration of the health of schedulers that are only known to be on the wheel once they exist. They are
 * declared as another type, such as {@code TaskScheduler}, or are no beans, such as the own scheduler of a
 * {@code TimerWheel}.
 */
@AutoConfiguration(
        after = {WheelSchedulerHealthAutoConfiguration.class, TimerWheelAutoConfiguration.class},
        before = TaskSchedulingAutoConfiguration.class)
@ConditionalOnClass({HealthContributor.class, ConditionalOnEnabledHealthIndicator.class})
@Conditional(OnPossibleWheelSchedulerCondition.class)
@ConditionalOnEnabledHealthIndicator("wheelscheduler")
@EnableConfigurationProperties(WheelSchedulerProperties.class)
public final class LateSchedulerHealthAutoConfiguration {

    private static final String NAME = "wheelScheduler";

    @Bean
    SmartInitializingSingleton lateSchedulerHealth(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<HealthContributorRegistry> registries,
            WheelSchedulerProperties properties) {
        return () -> {
            HealthContributorRegistry registry = registries.getIfAvailable();
            if (registry != null && registry.getContributor(NAME) == null) {
                addTo(registry, WheelSchedulers.of(beanFactory), properties.getHealth());
            }
        };
    }

    private static void addTo(
            HealthContributorRegistry registry,
            Map<String, WheelTaskScheduler> schedulers,
            WheelSchedulerProperties.Health settings) {
        Map<String, HealthContributor> all = new LinkedHashMap<>();
        schedulers.forEach((name, scheduler) -> all.put(name, new WheelSchedulerHealthIndicator(scheduler, settings)));
        if (all.size() == 1) {
            registry.registerContributor(NAME, all.values().iterator().next());
        } else if (!all.isEmpty()) {
            registry.registerContributor(NAME, CompositeHealthContributor.fromMap(all));
        }
    }
}
