package io.github.wheelscheduler.autoconfigure.dashboard;

import io.github.wheelscheduler.dashboard.WheelDashboardEndpoint;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.servlet.DispatcherServlet;

/** Adds to the answers of the page what its safety takes, on any port that the endpoints are on. */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnWebApplication
@ConditionalOnClass(WheelDashboardEndpoint.class)
@ConditionalOnBean(WheelDashboardEndpoint.class)
public final class DashboardManagementContextConfiguration {

    @Bean
    AnswerPlans wheelDashboardAnswerPlans(
            ObjectProvider<PathMappedEndpoints> endpoints, WheelDashboardEndpoint page, Environment environment) {
        EndpointPaths paths = new EndpointPaths(endpoints::getObject, AnswerPlans.ENDPOINTS);
        return new AnswerPlans(paths, page, new NodeName(environment));
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(DispatcherServlet.class)
    static class Servlet {

        @Bean
        FilterRegistrationBean<DashboardServletFilter> wheelDashboardFilter(AnswerPlans plans) {
            FilterRegistrationBean<DashboardServletFilter> filter =
                    new FilterRegistrationBean<>(new DashboardServletFilter(plans));
            filter.setOrder(Ordered.LOWEST_PRECEDENCE);
            return filter;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass(DispatcherHandler.class)
    static class Reactive {

        @Bean
        DashboardWebFilter wheelDashboardFilter(AnswerPlans plans) {
            return new DashboardWebFilter(plans);
        }
    }
}
