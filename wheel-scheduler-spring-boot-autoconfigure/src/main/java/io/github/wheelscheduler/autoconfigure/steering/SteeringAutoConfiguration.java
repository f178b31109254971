package io.github.wheelscheduler.autoconfigure.steering;

import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.steering.SteeringListener;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Auto-configuration that notifies each {@link SteeringListener} of calls in Java that steer and were given a name. */
@AutoConfiguration
@ConditionalOnClass(WheelTaskScheduler.class)
@ConditionalOnBean(SteeringListener.class)
public final class SteeringAutoConfiguration {

    @Bean
    static SteeredSchedulers wheelSteeredSchedulers(ObjectProvider<SteeringListener> listeners) {
        return new SteeredSchedulers(listeners);
    }

    /** Durable tasks, where their module is there, too. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(DurableEngine.class)
    static class OfDurableTasks {

        @Bean
        static SteeredDurableTasks wheelSteeredDurableTasks(
                ConfigurableListableBeanFactory beanFactory, ObjectProvider<SteeringListener> listeners) {
            return new SteeredDurableTasks(beanFactory, listeners);
        }
    }
}
