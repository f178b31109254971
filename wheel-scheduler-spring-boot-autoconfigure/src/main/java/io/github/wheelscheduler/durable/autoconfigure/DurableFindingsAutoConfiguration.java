package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.autoconfigure.WheelSchedulers;
import io.github.wheelscheduler.autoconfigure.endpoint.FindingSource;
import io.github.wheelscheduler.autoconfigure.endpoint.TraceUrl;
import io.github.wheelscheduler.autoconfigure.endpoint.WheelSchedulerEndpoint;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Auto-configuration of what the endpoint of the scheduler says of durable tasks. */
@AutoConfiguration(after = DurableAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class, DurableEngine.class})
@ConditionalOnSingleCandidate(DurableEngine.class)
@ConditionalOnAvailableEndpoint(WheelSchedulerEndpoint.class)
public final class DurableFindingsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "wheelDurableFindings")
    FindingSource wheelDurableFindings(
            DurableEngine engine,
            ObjectProvider<TimerWheel> wheels,
            ConfigurableListableBeanFactory beanFactory,
            Environment environment) {
        return new DurableFindings(
                engine,
                () -> longestRun(wheels.getIfUnique(), beanFactory),
                environment.getProperty(TraceUrl.PROPERTY));
    }

    /** Returns the limit of the scheduler whose wheel that is, which need not be a bean; null without one. */
    static @Nullable Duration longestRun(@Nullable TimerWheel wheel, ConfigurableListableBeanFactory beanFactory) {
        WheelScheduledExecutor executor = wheel == null ? null : wheel.executor();
        for (WheelTaskScheduler scheduler : WheelSchedulers.in(beanFactory).values()) {
            if (scheduler.isInitialized() && scheduler.getWheelScheduledExecutor() == executor) {
                return scheduler.getWarningLimits().run();
            }
        }
        return null;
    }
}
