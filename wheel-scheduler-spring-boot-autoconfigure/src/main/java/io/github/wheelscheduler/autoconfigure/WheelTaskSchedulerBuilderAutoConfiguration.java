package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.settings.TaskCatalog;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.task.ThreadPoolTaskSchedulerBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of a {@link WheelTaskSchedulerBuilder}, also where the application has schedulers of its own.
 * Without it, nothing else of ours makes a scheduler.
 */
@AutoConfiguration(before = TaskSchedulingAutoConfiguration.class)
@EnableConfigurationProperties(WheelSchedulerProperties.class)
public final class WheelTaskSchedulerBuilderAutoConfiguration {

    @Bean
    static AnnotatedTasks wheelAnnotatedTasks(
            ConfigurableListableBeanFactory beanFactory,
            Environment environment,
            ObjectProvider<TaskCatalog> catalog,
            ObjectProvider<TaskOverrides> overrides) {
        return new AnnotatedTasks(beanFactory, environment, catalog, overrides);
    }

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    @Primary
    TaskCatalog wheelTaskCatalog() {
        return new TaskCatalog();
    }

    @Bean
    TaskOverrides wheelTaskOverrides(
            Environment environment,
            ObjectProvider<TaskCatalog> catalog,
            WheelSchedulerProperties properties,
            ConfigurableListableBeanFactory beanFactory) {
        return new TaskOverrides(environment, catalog, properties, beanFactory);
    }

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    WheelTaskSchedulerBuilder wheelTaskSchedulerBuilder(
            WheelSchedulerProperties properties,
            TaskCatalog catalog,
            ObjectProvider<ThreadPoolTaskSchedulerBuilder> builder,
            ObjectProvider<WheelSchedulerCustomizer> customizers,
            ConfigurableListableBeanFactory beanFactory,
            Environment environment) {
        return new WheelTaskSchedulerBuilder(properties, catalog, builder, customizers, beanFactory, environment);
    }

    @Bean
    static RegistrarWatch wheelRegistrarWatch() {
        return new RegistrarWatch();
    }

    @Bean
    static WhereScheduledRuns whereScheduledRuns(
            ConfigurableListableBeanFactory beanFactory, Environment environment, RegistrarWatch registrar) {
        return new WhereScheduledRuns(beanFactory, environment, registrar);
    }
}
