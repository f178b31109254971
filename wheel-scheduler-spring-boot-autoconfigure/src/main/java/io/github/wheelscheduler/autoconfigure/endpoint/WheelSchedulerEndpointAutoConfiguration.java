package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.autoconfigure.OnPossibleWheelSchedulerCondition;
import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerAutoConfiguration;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of the {@link WheelSchedulerEndpoint}, where there is the Actuator, a {@link WheelTaskScheduler},
 * auto-configured or the application's own, and the endpoint is exposed.
 */
@AutoConfiguration(
        after = {WheelSchedulerAutoConfiguration.class, TimerWheelAutoConfiguration.class},
        before = TaskSchedulingAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@Conditional(OnPossibleWheelSchedulerCondition.class)
@ConditionalOnAvailableEndpoint(WheelSchedulerEndpoint.class)
@EnableConfigurationProperties(WheelSchedulerEndpointProperties.class)
public final class WheelSchedulerEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    WheelSchedulerEndpoint wheelSchedulerEndpoint(
            ListableBeanFactory beanFactory,
            WheelSchedulerEndpointProperties properties,
            Environment environment,
            ObjectProvider<EndpointAccessResolver> access) {
        return new WheelSchedulerEndpoint(
                beanFactory,
                properties,
                EndpointAnswers.isUnrestricted(access, WheelSchedulerEndpoint.ID),
                environment.getProperty(TraceUrl.PROPERTY));
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.JMX)
    WheelSchedulerEndpointJmxExtension wheelSchedulerEndpointJmxExtension(WheelSchedulerEndpoint endpoint) {
        return new WheelSchedulerEndpointJmxExtension(endpoint);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
    WheelSchedulerEndpointWebExtension wheelSchedulerEndpointWebExtension(WheelSchedulerEndpoint endpoint) {
        return new WheelSchedulerEndpointWebExtension(endpoint);
    }
}
