package io.github.wheelscheduler.autoconfigure.endpoint;

import static io.github.wheelscheduler.autoconfigure.endpoint.EndpointWithSecurityTest.isJson;
import static io.github.wheelscheduler.autoconfigure.endpoint.EndpointWithSecurityTest.linesOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.testing.ActuatorServer;
import io.github.wheelscheduler.autoconfigure.testing.Jobs;
import io.github.wheelscheduler.autoconfigure.testing.JobsApplication;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.security.autoconfigure.actuate.web.reactive.EndpointRequest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.csrf.CsrfWebFilter;
import org.springframework.security.web.server.util.matcher.AndServerWebExchangeMatcher;
import org.springframework.security.web.server.util.matcher.NegatedServerWebExchangeMatcher;
import org.springframework.security.web.server.util.matcher.ServerWebExchangeMatcher;
import org.springframework.security.web.server.util.matcher.ServerWebExchangeMatcher.MatchResult;

/** Who may steer an application that answers with WebFlux, and by which types of requests. */
@ExtendWith(OutputCaptureExtension.class)
class EndpointOnWebFluxWithSecurityTest {

    private static final String TASK = "wheelscheduler/" + Jobs.REST;
    private static final String PAUSE = "{\"action\": \"pause\"}";

    private static ActuatorServer start() {
        return ActuatorServer.start(
                EndpointOnWebFluxWithSecurityTest.class.getClassLoader(),
                SecuredApplication.class,
                "spring.main.web-application-type=reactive",
                "spring.security.user.roles=OPERATOR",
                "management.endpoint.wheelscheduler.access=unrestricted");
    }

    @Test
    void scriptSteersByJsonAndAPageOfAnotherSiteByNothing(CapturedOutput output) {
        try (ActuatorServer server = start()) {
            for (String type : Arrays.asList(
                    "application/x-www-form-urlencoded", "text/plain", "text/plain;x=application/json", null)) {
                for (String body : new String[] {PAUSE, "action=pause", ""}) {
                    assertThat(server.postAs(type, TASK + "?action=pause", body).status())
                            .as("%s: %s", type, body)
                            .isIn(401, 403, 415);
                }
            }
            assertThat(server.postAnonymously(TASK, PAUSE).status()).isIn(401, 403);
            assertThat(server.get(TASK).textAt("state")).isEqualTo("PENDING");
            assertThat(linesOf(output)).isEmpty();
            for (String type : new String[] {
                "application/json", "application/vnd.spring-boot.actuator.v3+json", "application/json;charset=UTF-8"
            }) {
                assertThat(server.postAs(type, TASK, PAUSE).status()).as(type).isEqualTo(200);
            }
            assertThat(server.get(TASK).textAt("state")).isEqualTo("PAUSED");
            assertThat(linesOf(output))
                    .hasSize(3)
                    .first()
                    .asString()
                    .contains("Steering by operator over HTTP: action pause on task " + Jobs.REST)
                    .contains("; before: PENDING every hour; after: PAUSED every hour");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(JobsApplication.class)
    static class SecuredApplication {

        /** As docs/actuator-security.md advises. */
        @Bean
        SecurityWebFilterChain rules(ServerHttpSecurity http) {
            ServerWebExchangeMatcher wheel = EndpointRequest.to("wheelscheduler");
            http.authorizeExchange(exchanges ->
                    exchanges.matchers(wheel).hasRole("OPERATOR").anyExchange().authenticated());
            ServerWebExchangeMatcher script = exchange -> {
                HttpHeaders headers = exchange.getRequest().getHeaders();
                boolean isScript = headers.containsHeader("Authorization") && isJson(headers.getFirst("Content-Type"));
                return isScript ? MatchResult.match() : MatchResult.notMatch();
            };
            http.csrf(csrf -> csrf.requireCsrfProtectionMatcher(new AndServerWebExchangeMatcher(
                    CsrfWebFilter.DEFAULT_CSRF_MATCHER,
                    new NegatedServerWebExchangeMatcher(new AndServerWebExchangeMatcher(wheel, script)))));
            http.httpBasic(Customizer.withDefaults());
            return http.build();
        }
    }
}
