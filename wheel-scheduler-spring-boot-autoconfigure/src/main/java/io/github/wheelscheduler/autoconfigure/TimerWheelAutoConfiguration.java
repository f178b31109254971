package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of the {@link TimerWheel} of an application, with or without {@code @EnableScheduling}. It uses
 * the bean {@code taskScheduler} if that is on the wheel, else the only {@link WheelTaskScheduler}. Otherwise it
 * creates one of its own with the same settings and groups. It is made when something asks for it, never before.
 */
@AutoConfiguration(after = {WheelSchedulerAutoConfiguration.class, WheelTaskSchedulerBuilderAutoConfiguration.class})
@ConditionalOnBean(WheelTaskSchedulerBuilder.class)
public final class TimerWheelAutoConfiguration {

    static final String TIMER_WHEEL = "wheelSchedulerTimers";

    @Bean(TIMER_WHEEL)
    @Lazy
    @ConditionalOnMissingBean
    TimerWheel wheelSchedulerTimers(
            ConfigurableListableBeanFactory beanFactory, WheelTaskSchedulerBuilder builder, Environment environment) {
        WheelTaskScheduler scheduler = WheelSchedulers.main(beanFactory);
        return scheduler != null
                ? new TimerWheel(scheduler)
                : OwnTimerWheel.create(TIMER_WHEEL, builder, GroupProperties.allOf(environment), beanFactory);
    }
}
