package io.github.wheelscheduler.autoconfigure.dashboard;

import io.github.wheelscheduler.autoconfigure.testing.JobsApplication;
import io.github.wheelscheduler.dashboard.WheelDashboardEndpoint;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** The page of an application that has Spring Security and answers with Spring MVC. */
class LoginOnMvcTest extends LoginContract {

    @Override
    DashboardSite start(Class<?> application, String... properties) {
        return DashboardSite.startSecured(application, properties);
    }

    @Override
    Class<?> applicationWithRules() {
        return Application.class;
    }

    @Configuration(proxyBeanMethods = false)
    @Import(JobsApplication.class)
    static class Application {

        @Bean
        SecurityFilterChain rules(HttpSecurity http) {
            http.authorizeHttpRequests(
                    requests -> requests.requestMatchers(EndpointRequest.to(WheelDashboardEndpoint.class))
                            .authenticated()
                            .anyRequest()
                            .permitAll());
            http.httpBasic(Customizer.withDefaults());
            return http.build();
        }
    }
}
