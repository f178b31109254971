package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.autoconfigure.endpoint.EndpointAnswers;
import io.github.wheelscheduler.autoconfigure.endpoint.TraceUrl;
import io.github.wheelscheduler.autoconfigure.endpoint.WheelSchedulerEndpointProperties;
import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.spring.steering.SteeringListener;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Auto-configuration of the {@link DurableEndpoint}, where there is the Actuator, and the endpoint is exposed. */
@AutoConfiguration(after = DurableAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class, DurableEngine.class})
@ConditionalOnSingleCandidate(DurableEngine.class)
@ConditionalOnAvailableEndpoint(DurableEndpoint.class)
@EnableConfigurationProperties({WheelSchedulerEndpointProperties.class, DurableEndpointProperties.class})
public final class DurableEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    DurableEndpoint wheelDurableEndpoint(
            DurableEngine engine,
            WheelSchedulerEndpointProperties properties,
            DurableEndpointProperties values,
            Environment environment,
            ObjectProvider<SteeringListener> listeners,
            ObjectProvider<SanitizingFunction> functions,
            ObjectProvider<EndpointAccessResolver> access) {
        return new DurableEndpoint(
                engine,
                properties,
                listeners,
                EndpointAnswers.isUnrestricted(access, DurableEndpoint.ID),
                values,
                functions.orderedStream().toList(),
                environment.getProperty(TraceUrl.PROPERTY));
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.JMX)
    DurableEndpointJmxExtension wheelDurableEndpointJmxExtension(DurableEndpoint endpoint) {
        return new DurableEndpointJmxExtension(endpoint);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
    DurableEndpointWebExtension wheelDurableEndpointWebExtension(DurableEndpoint endpoint) {
        return new DurableEndpointWebExtension(endpoint);
    }
}
