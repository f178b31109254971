package io.github.wheelscheduler.autoconfigure.dashboard;

import static io.github.wheelscheduler.autoconfigure.dashboard.DashboardSite.header;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.testing.JobsApplication;
import io.github.wheelscheduler.dashboard.WheelDashboardEndpoint;
import java.net.http.HttpResponse;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;

/** The page of an application that has Spring Security and answers with Spring MVC. */
class LoginOnMvcTest extends LoginContract {

    LoginOnMvcTest() {
        super(WebStack.MVC, Application.class);
    }

    @ParameterizedTest
    @ValueSource(classes = {SinglePage.class, MaskedCookie.class})
    void tokenThatIsInACookieIsToldAsItIsWanted(Class<?> application) {
        try (DashboardSite site = start(application)) {
            login(site);
            assertThat(site.get(PAGE).statusCode()).isEqualTo(200);
            // With the cookie that the first answer may have set.
            String ignored = tokenOf(site, "");
            String token = tokenOf(site, "");
            boolean isTaken = pause(site, token) == 200;
            assertThat(isTaken).isEqualTo(application == SinglePage.class);
            String other = tokenOf(site, token);
            assertThat(other).isNotEqualTo(token);
            assertThat(pause(site, other)).isEqualTo(isTaken ? 403 : 200);
            assertThat(tokenOf(site, "out of date")).isEqualTo(token);
        }
    }

    private static String tokenOf(DashboardSite site, String refused) {
        HttpResponse<String> answer = site.get(PAGE + "/token", "Wheel-Csrf-Refused", refused);
        assertThat(header(answer, "Wheel-Csrf-Header")).isEqualTo("X-XSRF-TOKEN");
        return header(answer, "Wheel-Csrf-Token");
    }

    private static int pause(DashboardSite site, String token) {
        return site.post(TASK, PAUSE, "X-XSRF-TOKEN", token).statusCode();
    }

    /** Whose scripts send back the token as the cookie has it. */
    @Configuration(proxyBeanMethods = false)
    @Import(JobsApplication.class)
    static class SinglePage {

        @Bean
        SecurityFilterChain rules(HttpSecurity http) {
            return withLogin(http.csrf(CsrfConfigurer::spa));
        }
    }

    /** Whose forms send back the token masked, though a cookie has it. */
    @Configuration(proxyBeanMethods = false)
    @Import(JobsApplication.class)
    static class MaskedCookie {

        @Bean
        SecurityFilterChain rules(HttpSecurity http) {
            return withLogin(http.csrf(csrf -> csrf.csrfTokenRepository(new CookieCsrfTokenRepository())));
        }
    }

    private static SecurityFilterChain withLogin(HttpSecurity http) {
        http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated());
        http.formLogin(Customizer.withDefaults());
        return http.build();
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
