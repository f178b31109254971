package io.github.wheelscheduler.autoconfigure.dashboard;

import io.github.wheelscheduler.autoconfigure.OnPossibleWheelSchedulerCondition;
import io.github.wheelscheduler.dashboard.WheelDashboardEndpoint;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;

/** Auto-configuration of the {@link WheelDashboardEndpoint}, where its module is there and the endpoint is exposed. */
@AutoConfiguration
@ConditionalOnWebApplication
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class, WheelDashboardEndpoint.class})
@ConditionalOnAvailableEndpoint(endpoint = WheelDashboardEndpoint.class, exposure = EndpointExposure.WEB)
@ImportRuntimeHints(WheelDashboardAutoConfiguration.Hints.class)
public final class WheelDashboardAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    WheelDashboardEndpoint wheelDashboardEndpoint(
            ObjectProvider<PathMappedEndpoints> endpoints, BeanFactory beanFactory, Environment environment) {
        return new WheelDashboardEndpoint(
                endpoints::getObject,
                () -> OnPossibleWheelSchedulerCondition.isMet(beanFactory),
                environment.getProperty("spring.application.name", ""));
    }

    /** Takes the files of the page along into a native image. */
    static final class Hints implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
            hints.resources().registerPattern("io/github/wheelscheduler/dashboard/page/*");
        }
    }
}
