package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.autoconfigure.endpoint.TraceUrl;
import io.github.wheelscheduler.history.HistoryEngine;
import io.github.wheelscheduler.history.RunHistoryReader;
import io.github.wheelscheduler.spring.TimerWheel;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Auto-configuration of the {@link HistoryEndpoint}, where there is the Actuator, and the endpoint is exposed. */
@AutoConfiguration(after = HistoryAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class, HistoryEngine.class})
@ConditionalOnBean(HistoryEngine.class)
@ConditionalOnAvailableEndpoint(HistoryEndpoint.class)
public final class HistoryEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    HistoryEndpoint wheelHistoryEndpoint(
            HistoryEngine history, RunHistoryReader reader, ObjectProvider<TimerWheel> wheel, Environment environment) {
        return new HistoryEndpoint(
                history,
                reader,
                () -> wheel.getObject().executor().wallClockInstant(),
                environment.getProperty(TraceUrl.PROPERTY));
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.JMX)
    HistoryEndpointJmxExtension wheelHistoryEndpointJmxExtension(HistoryEndpoint endpoint) {
        return new HistoryEndpointJmxExtension(endpoint);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
    HistoryEndpointWebExtension wheelHistoryEndpointWebExtension(HistoryEndpoint endpoint) {
        return new HistoryEndpointWebExtension(endpoint);
    }
}
