package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.settings.TaskCatalog;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.task.ThreadPoolTaskSchedulerBuilder;
import org.springframework.core.env.Environment;

/**
 * Builds schedulers with the settings of the auto-configured one: {@code wheel.scheduler.*}, what Boot's
 * {@link ThreadPoolTaskSchedulerBuilder} holds, and every {@link WheelSchedulerCustomizer}. For an application that
 * defines schedulers of its own:
 *
 * <pre>{@code
 * @Bean
 * WheelTaskScheduler reports(WheelTaskSchedulerBuilder builder) {
 *     WheelTaskScheduler scheduler = builder.build();
 *     scheduler.setThreadNamePrefix("reports-");
 *     return scheduler;
 * }
 * }</pre>
 */
public final class WheelTaskSchedulerBuilder {

    private final WheelSchedulerProperties properties;
    private final TaskCatalog catalog;
    private final ObjectProvider<ThreadPoolTaskSchedulerBuilder> boots;
    private final ObjectProvider<WheelSchedulerCustomizer> customizers;
    private final ConfigurableListableBeanFactory beanFactory;
    private final Environment environment;

    WheelTaskSchedulerBuilder(
            WheelSchedulerProperties properties,
            TaskCatalog catalog,
            ObjectProvider<ThreadPoolTaskSchedulerBuilder> boots,
            ObjectProvider<WheelSchedulerCustomizer> customizers,
            ConfigurableListableBeanFactory beanFactory,
            Environment environment) {
        this.properties = properties;
        this.catalog = catalog;
        this.boots = boots;
        this.customizers = customizers;
        this.beanFactory = beanFactory;
        this.environment = environment;
    }

    /** Returns a new scheduler with the settings, not initialized yet. */
    public WheelTaskScheduler build() {
        return configure(new WheelTaskScheduler());
    }

    /** Applies the settings to a scheduler that is not initialized yet, and returns it. */
    public <T extends WheelTaskScheduler> T configure(T scheduler) {
        properties.applyTo(scheduler);
        scheduler.setTaskCatalog(catalog);
        new SchedulerSetup(beanFactory, environment)
                .apply(
                        boots.getIfAvailable(ThreadPoolTaskSchedulerBuilder::new),
                        properties.getWorker().getMaxSize(),
                        scheduler);
        for (WheelSchedulerCustomizer customizer : customizers.orderedStream().toList()) {
            customizer.customize(scheduler);
        }
        return scheduler;
    }
}
