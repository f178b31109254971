package io.github.wheelscheduler.autoconfigure.dashboard;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.CorsEndpointProperties;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.servlet.DispatcherServlet;

/** Keeps pages of other sites from steering, on any port that the endpoints are on. */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnWebApplication
@ConditionalOnBean(WebEndpointsSupplier.class)
public final class CrossSiteManagementContextConfiguration {

    private static CrossSiteRule rule(ObjectProvider<PathMappedEndpoints> endpoints, CorsEndpointProperties cors) {
        EndpointPaths paths = new EndpointPaths(endpoints::getObject, CrossSiteRule.STEERED);
        return new CrossSiteRule(paths, cors.toCorsConfiguration());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(DispatcherServlet.class)
    @EnableConfigurationProperties(CorsEndpointProperties.class)
    static class Servlet {

        @Bean
        CrossSiteServletMapping wheelCrossSiteMapping(
                ObjectProvider<PathMappedEndpoints> endpoints, CorsEndpointProperties cors) {
            return new CrossSiteServletMapping(rule(endpoints, cors));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass(DispatcherHandler.class)
    @EnableConfigurationProperties(CorsEndpointProperties.class)
    static class Reactive {

        @Bean
        CrossSiteReactiveMapping wheelCrossSiteMapping(
                ObjectProvider<PathMappedEndpoints> endpoints, CorsEndpointProperties cors) {
            return new CrossSiteReactiveMapping(rule(endpoints, cors));
        }
    }
}
