package io.github.wheelscheduler.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.testing.ActuatorServer;
import io.github.wheelscheduler.autoconfigure.testing.Jobs;
import io.github.wheelscheduler.autoconfigure.testing.JobsApplication;
import io.github.wheelscheduler.spring.task.TaskInfo;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.util.matcher.AndRequestMatcher;
import org.springframework.security.web.util.matcher.RequestMatcher;

/** The endpoint in an application that has Spring Security. */
class EndpointWithSecurityTest extends EndpointContract {

    private static final String TASK = "wheelscheduler/" + Jobs.REST;

    @Override
    public ActuatorServer start(String... properties) {
        return startAs("OPERATOR", properties);
    }

    private ActuatorServer startAs(String role, String... properties) {
        String[] all = Arrays.copyOf(properties, properties.length + 1);
        all[properties.length] = "spring.security.user.roles=" + role;
        return ActuatorServer.start(getClass().getClassLoader(), SecuredApplication.class, all);
    }

    @Test
    void anonymousCallerNeitherSeesNorChangesAnything() {
        assertThat(server().getAnonymously("wheelscheduler").status()).isEqualTo(401);
        assertThat(server().getAnonymously(TASK).status()).isEqualTo(401);
        assertThat(server().postAnonymously(TASK, "{\"action\": \"pause\"}").status())
                .isEqualTo(401);
        assertThat(server().get(TASK).textAt("state")).isEqualTo("PENDING");
    }

    @Test
    void userThatIsNoOperatorNeitherSeesNorChangesAnything() {
        try (ActuatorServer server = startAs("READER", "management.endpoint.wheelscheduler.access=unrestricted")) {
            for (String path : List.of("wheelscheduler", TASK)) {
                assertThat(server.get(path).status()).isEqualTo(403);
                assertThat(server.post(path, "{\"action\": \"pause\"}").status())
                        .isEqualTo(403);
            }
            assertThat(server.wheel().isRunning()).isTrue();
            assertThat(server.wheel().getTaskRegistry().get(Jobs.REST).state()).isEqualTo(TaskInfo.State.PENDING);
            assertThat(server.get("scheduledtasks").status()).isEqualTo(200);
        }
    }

    @Test
    void readingNeedsALoginAndWritingATokenByBootsRules() {
        try (ActuatorServer server = ActuatorServer.start(
                getClass().getClassLoader(),
                JobsApplication.class,
                "management.endpoint.wheelscheduler.access=unrestricted")) {
            assertThat(server.getAnonymously(TASK).status()).isEqualTo(401);
            assertThat(server.get(TASK).status()).isEqualTo(200);
            assertThat(server.post(TASK, "{\"action\": \"pause\"}").status()).isIn(401, 403);
            assertThat(server.get(TASK).textAt("state")).isEqualTo("PENDING");
        }
    }

    @Test
    void pageOfAnotherSiteChangesNothing() {
        String form = "application/x-www-form-urlencoded";
        for (String path : List.of("wheelscheduler", TASK)) {
            for (String type : Arrays.asList(form, "text/plain", "multipart/form-data; boundary=x", null)) {
                for (String body : List.of("{\"action\": \"pause\"}", "action=pause", "")) {
                    assertThat(server().postAs(type, path + "?action=pause", body)
                                    .status())
                            .as("%s as %s: %s", path, type, body)
                            .isIn(401, 403, 415);
                }
            }
        }
        assertThat(server().get(TASK).textAt("state")).isEqualTo("PENDING");
        assertThat(server().wheel().isRunning()).isTrue();
    }

    @Test
    void scriptSteersByAnyTypeThatIsJson() {
        for (String type : List.of(
                "application/json",
                "application/json;charset=UTF-8",
                "Application/JSON",
                "application/vnd.spring-boot.actuator.v3+json")) {
            assertThat(server().postAs(type, TASK, "{\"action\": \"pause\"}").status())
                    .as(type)
                    .isEqualTo(200);
            assertThat(server().get(TASK).textAt("state")).as(type).isEqualTo("PAUSED");
            server().wheel().getTaskRegistry().resume(Jobs.REST);
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void eachSteeringLeavesOneLineWithTheUser(CapturedOutput output) {
        try (ActuatorServer server = start("management.endpoint.wheelscheduler.access=unrestricted")) {
            assertThat(server.post(TASK, "{\"action\": \"retime\", \"cron\": \"0 0 3 * * *\", \"zone\": \"UTC\"}")
                            .status())
                    .isEqualTo(200);
            assertThat(linesOf(output))
                    .singleElement()
                    .asString()
                    .contains("Steering by operator over HTTP: action retime on task " + Jobs.REST)
                    .contains("; before: PENDING every hour; after: PENDING cron 0 0 3 * * * UTC");
            assertThat(server.post("wheelscheduler", "{\"action\": \"stop\\n2026 all is well\\u202e\"}")
                            .status())
                    .isEqualTo(400);
            assertThat(linesOf(output))
                    .last()
                    .asString()
                    .contains("Steering by operator over HTTP was refused: action stop?2026 all is well? on scheduler; "
                            + "cause: ");
            assertThat(server.post("wheelscheduler", "{\"action\": \"pause\"}").status())
                    .isEqualTo(200);
            assertThat(linesOf(output))
                    .last()
                    .asString()
                    .contains("action pause on scheduler; before: RUNNING; after: PAUSED, taskScheduler with 6 tasks");
        }
    }

    static List<String> linesOf(CapturedOutput output) {
        return output.getOut()
                .lines()
                .filter(line -> line.contains("Steering by "))
                .toList();
    }

    /** Whether the type of a request is one of JSON. */
    static boolean isJson(@Nullable String contentType) {
        try {
            MediaType type = contentType == null ? MediaType.ALL : MediaType.parseMediaType(contentType);
            return "json".equals(type.getSubtype()) || "json".equals(type.getSubtypeSuffix());
        } catch (InvalidMediaTypeException ex) {
            return false;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(JobsApplication.class)
    static class SecuredApplication {

        /** As docs/actuator-security.md advises. */
        @Bean
        SecurityFilterChain rules(HttpSecurity http) throws Exception {
            RequestMatcher wheel = EndpointRequest.to("wheelscheduler");
            http.authorizeHttpRequests(requests -> requests.requestMatchers(wheel)
                    .hasRole("OPERATOR")
                    .anyRequest()
                    .authenticated());
            RequestMatcher script =
                    request -> request.getHeader("Authorization") != null && isJson(request.getContentType());
            http.csrf(csrf -> csrf.ignoringRequestMatchers(new AndRequestMatcher(wheel, script)));
            http.httpBasic(Customizer.withDefaults());
            return http.build();
        }

        /** Spring's own takes a tenth of a second, for good reasons, and each request here logs in anew. */
        @Bean
        PasswordEncoder withoutEffort() {
            return new PasswordEncoder() {
                @Override
                public String encode(CharSequence password) {
                    return password.toString();
                }

                @Override
                public boolean matches(CharSequence password, String encoded) {
                    return encode(password).equals(encoded);
                }
            };
        }
    }
}
