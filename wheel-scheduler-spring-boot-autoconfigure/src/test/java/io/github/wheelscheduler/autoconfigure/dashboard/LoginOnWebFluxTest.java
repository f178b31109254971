package io.github.wheelscheduler.autoconfigure.dashboard;

import io.github.wheelscheduler.autoconfigure.testing.JobsApplication;
import io.github.wheelscheduler.dashboard.WheelDashboardEndpoint;
import org.springframework.boot.security.autoconfigure.actuate.web.reactive.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;

/** The page of an application that has Spring Security and answers with WebFlux. */
class LoginOnWebFluxTest extends LoginContract {

    LoginOnWebFluxTest() {
        super(WebStack.WEB_FLUX, Application.class);
    }

    @Configuration(proxyBeanMethods = false)
    @Import(JobsApplication.class)
    static class Application {

        @Bean
        SecurityWebFilterChain rules(ServerHttpSecurity http) {
            http.authorizeExchange(exchanges -> exchanges
                    .matchers(EndpointRequest.to(WheelDashboardEndpoint.class))
                    .authenticated()
                    .anyExchange()
                    .permitAll());
            http.httpBasic(Customizer.withDefaults());
            return http.build();
        }
    }
}
