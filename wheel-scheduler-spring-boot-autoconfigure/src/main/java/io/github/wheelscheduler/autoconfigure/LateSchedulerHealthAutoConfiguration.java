package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
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
 * {@code TimerWheel}, which may be made at any time.
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
    static LateHealth lateSchedulerHealth(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<HealthContributorRegistry> registries,
            ObjectProvider<WheelSchedulerProperties> properties) {
        return new LateHealth(beanFactory, registries, properties);
    }

    /** Adds schedulers without a health when all singletons are there, and each time a timer wheel is made later. */
    static final class LateHealth implements SmartInitializingSingleton, BeanPostProcessor {

        private final ConfigurableListableBeanFactory beanFactory;
        private final ObjectProvider<HealthContributorRegistry> registries;
        private final ObjectProvider<WheelSchedulerProperties> properties;

        /** Null before all singletons are there. Writer: the thread that starts the application. Readers: any. */
        private volatile @Nullable HealthContributorRegistry registry;

        LateHealth(
                ConfigurableListableBeanFactory beanFactory,
                ObjectProvider<HealthContributorRegistry> registries,
                ObjectProvider<WheelSchedulerProperties> properties) {
            this.beanFactory = beanFactory;
            this.registries = registries;
            this.properties = properties;
        }

        @Override
        public void afterSingletonsInstantiated() {
            HealthContributorRegistry found = registries.getIfAvailable();
            registry = found;
            if (found != null) {
                add(found, WheelSchedulers.of(beanFactory));
            }
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            HealthContributorRegistry found = registry;
            if (found != null && WheelSchedulers.unproxied(bean) instanceof OwnTimerWheel wheel) {
                Map<String, WheelTaskScheduler> all = WheelSchedulers.of(beanFactory);
                wheel.schedulers().forEach(all::putIfAbsent);
                add(found, all);
            }
            return bean;
        }

        private void add(HealthContributorRegistry to, Map<String, WheelTaskScheduler> schedulers) {
            WheelSchedulerProperties.Health settings = properties.getObject().getHealth();
            // Nothing below waits for Spring, which may hold a lock of its own.
            synchronized (this) {
                HealthContributor before = to.getContributor(NAME);
                Map<String, HealthContributor> all = known(before, schedulers);
                int known = all.size();
                if (before != null && known == 0) {
                    return; // the application has one of its own
                }
                schedulers.forEach((name, scheduler) -> {
                    if (before == null || isCandidate(name)) {
                        all.putIfAbsent(
                                WheelSchedulerHealthIndicator.componentOf(name),
                                new WheelSchedulerHealthIndicator(scheduler, settings));
                    }
                });
                if (all.size() > known) {
                    HealthContributor ignored = to.unregisterContributor(NAME);
                    to.registerContributor(
                            NAME,
                            all.size() == 1 ? all.values().iterator().next() : CompositeHealthContributor.fromMap(all));
                }
            }
        }

        /** Returns our health of schedulers, by their names; none if another one is there. */
        private static Map<String, HealthContributor> known(
                @Nullable HealthContributor contributor, Map<String, WheelTaskScheduler> schedulers) {
            Map<String, HealthContributor> known = new LinkedHashMap<>();
            if (contributor instanceof WheelSchedulerHealthIndicator one) {
                known.put(WheelSchedulerHealthIndicator.componentOf(one.nameIn(schedulers)), one);
            } else if (contributor instanceof CompositeHealthContributor all
                    && all.stream().allMatch(entry -> entry.contributor() instanceof WheelSchedulerHealthIndicator)) {
                all.forEach(entry -> known.put(entry.name(), entry.contributor()));
            }
            return known;
        }

        /** As with Boot's own health, others have none beside those. */
        private boolean isCandidate(String name) {
            return !beanFactory.containsBeanDefinition(name)
                    || beanFactory.getBeanDefinition(name).isAutowireCandidate();
        }
    }
}
