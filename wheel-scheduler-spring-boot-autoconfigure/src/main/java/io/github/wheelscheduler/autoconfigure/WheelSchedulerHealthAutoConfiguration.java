package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.SimpleAutowireCandidateResolver;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.CompositeHealthContributorConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the health of each {@link WheelTaskScheduler}, auto-configured or the application's own. With
 * several schedulers, {@code wheelScheduler} is a composite of them.
 */
@AutoConfiguration(after = WheelSchedulerAutoConfiguration.class)
@ConditionalOnClass({HealthContributor.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(WheelTaskScheduler.class)
@ConditionalOnEnabledHealthIndicator("wheelscheduler")
@EnableConfigurationProperties(WheelSchedulerProperties.class)
public final class WheelSchedulerHealthAutoConfiguration
        extends CompositeHealthContributorConfiguration<WheelSchedulerHealthIndicator, WheelTaskScheduler> {

    WheelSchedulerHealthAutoConfiguration(WheelSchedulerProperties properties) {
        super(scheduler -> new WheelSchedulerHealthIndicator(scheduler, properties.getHealth()));
    }

    @Bean
    @ConditionalOnMissingBean(name = {"wheelSchedulerHealthIndicator", "wheelSchedulerHealthContributor"})
    @Nullable
    HealthContributor wheelSchedulerHealthContributor(ConfigurableListableBeanFactory beanFactory) {
        // Singletons only: others would be made for their health alone, or belong to a request that is not there.
        Map<String, WheelTaskScheduler> found = SimpleAutowireCandidateResolver.resolveAutowireCandidates(
                beanFactory, WheelTaskScheduler.class, false, true);
        Map<String, WheelTaskScheduler> schedulers = new LinkedHashMap<>();
        found.forEach((name, bean) -> {
            WheelTaskScheduler scheduler = WheelSchedulers.onTheWheel(bean);
            if (scheduler != null) {
                schedulers.put(WheelSchedulerHealthIndicator.componentOf(name), scheduler);
            }
        });
        return schedulers.isEmpty() ? null : createContributor(schedulers);
    }
}
