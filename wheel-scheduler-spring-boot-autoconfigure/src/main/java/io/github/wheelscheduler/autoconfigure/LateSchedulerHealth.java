package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.registry.HealthContributorRegistry;

/**
 * Adds the health of schedulers that turn out to be on the wheel only when they are there, as they are declared as something
 * else, such as a {@code TaskScheduler}, or are no beans, as that of a {@code TimerWheel} of its own.
 */
final class LateSchedulerHealth implements SmartInitializingSingleton {

    private static final String NAME = "wheelScheduler";

    private final ConfigurableListableBeanFactory beanFactory;
    private final ObjectProvider<HealthContributorRegistry> registries;
    private final WheelSchedulerProperties.Health settings;

    LateSchedulerHealth(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<HealthContributorRegistry> registries,
            WheelSchedulerProperties.Health settings) {
        this.beanFactory = beanFactory;
        this.registries = registries;
        this.settings = settings;
    }

    @Override
    public void afterSingletonsInstantiated() {
        HealthContributorRegistry registry = registries.getIfAvailable();
        if (registry == null || registry.getContributor(NAME) != null) {
            return;
        }
        Map<String, WheelTaskScheduler> schedulers =
                new LinkedHashMap<>(beanFactory.getBeansOfType(WheelTaskScheduler.class, false, false));
        schedulers.values().removeIf(scheduler -> !WheelTaskScheduler.isReal(scheduler));
        WheelSchedulers.ownOf(beanFactory).forEach(schedulers::putIfAbsent);
        if (schedulers.size() == 1) {
            registry.registerContributor(
                    NAME, healthOf(schedulers.values().iterator().next()));
        } else if (!schedulers.isEmpty()) {
            registry.registerContributor(NAME, CompositeHealthContributor.fromMap(schedulers, this::healthOf));
        }
    }

    private HealthContributor healthOf(WheelTaskScheduler scheduler) {
        return new WheelSchedulerHealthIndicator(scheduler, settings);
    }
}
