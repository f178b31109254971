package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.task.ThreadPoolTaskSchedulerBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import org.springframework.scheduling.config.TaskSchedulerRouter;

/**
 * Auto-configuration of a {@link WheelTaskScheduler} in place of the scheduler of Spring Boot.
 *
 * <p>It is the bean {@code taskScheduler}, exists where {@code @EnableScheduling} is on, and is set up by Boot's
 * {@link ThreadPoolTaskSchedulerBuilder}, so that {@code spring.task.scheduling.*}, decorators and customizers apply to
 * it. It backs off if the application defines a {@link org.springframework.scheduling.TaskScheduler TaskScheduler} or a
 * {@link java.util.concurrent.ScheduledExecutorService ScheduledExecutorService}, as Boot's does. It does not back off
 * for several wheel schedulers without a primary one, as Spring would then run {@code @Scheduled} methods on a single
 * default thread. Unlike Boot's, it also stays beside a scheduler that a Spring framework registers for its own use,
 * such as {@code messageBrokerTaskScheduler}:
 *
 * <ul>
 *   <li>{@code @Scheduled} methods, and what injects a plain {@code TaskScheduler}, get the wheel;
 *   <li>the scheduler of the framework is injected only with {@code @Qualifier}; the name of a parameter is not enough;
 *   <li>the framework keeps using its own.
 * </ul>
 *
 * <p>The wheel is not {@code @Primary}: it is an {@link java.util.concurrent.Executor Executor}, too, and would take
 * {@code @Async} methods and injected executors away from {@code applicationTaskExecutor}.
 */
@AutoConfiguration(
        after = {TaskExecutionAutoConfiguration.class, WheelTaskSchedulerBuilderAutoConfiguration.class},
        before = TaskSchedulingAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = WheelSchedulerProperties.PREFIX + ".enabled", matchIfMissing = true)
@ConditionalOnBean(
        value = WheelTaskSchedulerBuilder.class,
        name = TaskManagementConfigUtils.SCHEDULED_ANNOTATION_PROCESSOR_BEAN_NAME)
@Conditional(OnNoUserSchedulerCondition.class)
public final class WheelSchedulerAutoConfiguration {

    @Bean
    static GroupBeans wheelSchedulerGroupBeans(Environment environment) {
        return new GroupBeans(environment);
    }

    @Bean
    static FrameworkSchedulers wheelFrameworkSchedulers() {
        return new FrameworkSchedulers();
    }

    @Bean(GroupBeans.GROUPS)
    @Lazy
    SchedulerGroups wheelSchedulerGroups(
            @Qualifier(TaskSchedulerRouter.DEFAULT_TASK_SCHEDULER_BEAN_NAME) WheelTaskScheduler scheduler,
            WheelTaskSchedulerBuilder builder,
            GroupBeans beans) {
        return new SchedulerGroups(scheduler, builder, beans.groups());
    }

    @Bean(TaskSchedulerRouter.DEFAULT_TASK_SCHEDULER_BEAN_NAME)
    WheelTaskScheduler taskScheduler(WheelTaskSchedulerBuilder builder) {
        return builder.build();
    }
}
