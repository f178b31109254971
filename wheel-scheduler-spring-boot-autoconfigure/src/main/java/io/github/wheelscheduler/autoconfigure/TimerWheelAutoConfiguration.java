package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.task.DefaultTaskSchedulerConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.TaskScheduler;

/**
 * Auto-configuration of the {@link TimerWheel} of an application, with or without {@code @EnableScheduling}: that of the bean
 * {@code taskScheduler} if it is on the wheel, else that of the only {@link WheelTaskScheduler}, else one of its own with the same
 * settings and groups. It is made when something asks for it, never before.
 */
@AutoConfiguration(after = WheelSchedulerAutoConfiguration.class)
@ImportAutoConfiguration(WheelTaskSchedulerBuilderAutoConfiguration.class)
public final class TimerWheelAutoConfiguration {

    static final String TIMER_WHEEL = "wheelSchedulerTimers";

    @Bean(TIMER_WHEEL)
    @Lazy
    @ConditionalOnMissingBean
    TimerWheel wheelSchedulerTimers(
            ConfigurableListableBeanFactory beanFactory, WheelTaskSchedulerBuilder builder, Environment environment) {
        WheelTaskScheduler scheduler = schedulerBean(beanFactory);
        return scheduler != null
                ? new TimerWheel(scheduler)
                : OwnTimerWheel.create(TIMER_WHEEL, builder, GroupProperties.allOf(environment), beanFactory);
    }

    private static @Nullable WheelTaskScheduler schedulerBean(ConfigurableListableBeanFactory beanFactory) {
        String usual = DefaultTaskSchedulerConfiguration.DEFAULT_TASK_SCHEDULER_BEAN_NAME;
        if (beanFactory.containsBean(usual)
                && beanFactory.getBean(usual) instanceof WheelTaskScheduler scheduler
                && WheelTaskScheduler.isReal(scheduler)) {
            return scheduler;
        }
        List<WheelTaskScheduler> found = new ArrayList<>();
        for (String name :
                BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, TaskScheduler.class, false, true)) {
            if (OnPossibleWheelSchedulerCondition.mayBeOne(beanFactory.getType(name, false))
                    && beanFactory.getBean(name) instanceof WheelTaskScheduler scheduler
                    && WheelTaskScheduler.isReal(scheduler)) {
                found.add(scheduler);
            }
        }
        if (found.size() == 1) {
            return found.get(0);
        }
        WheelTaskScheduler primary =
                beanFactory.getBeanProvider(WheelTaskScheduler.class).getIfUnique();
        return primary != null && WheelTaskScheduler.isReal(primary) ? primary : null;
    }
}
