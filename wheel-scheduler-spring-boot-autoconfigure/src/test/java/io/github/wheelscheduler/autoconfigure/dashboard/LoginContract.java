package io.github.wheelscheduler.autoconfigure.dashboard;

import static io.github.wheelscheduler.autoconfigure.dashboard.DashboardSite.header;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.testing.Jobs;
import io.github.wheelscheduler.autoconfigure.testing.JobsApplication;
import io.github.wheelscheduler.spring.task.TaskInfo.State;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page of an application that has Spring Security, on one kind of server. */
abstract class LoginContract {

    static final String PAGE = "/actuator/wheeldashboard";
    static final String TASK = "/actuator/wheelscheduler/" + Jobs.REST;
    static final String PAUSE = "{\"action\":\"pause\"}";
    private static final Pattern TOKEN_OF_FORM = Pattern.compile("name=\"_csrf\"[^>]* value=\"([^\"]+)\"");

    private final WebStack stack;
    private final Class<?> applicationWithRules;

    /**
     * Makes one.
     *
     * @param applicationWithRules protects the page alone, by {@code EndpointRequest}
     */
    LoginContract(WebStack stack, Class<?> applicationWithRules) {
        this.stack = stack;
        this.applicationWithRules = applicationWithRules;
    }

    DashboardSite start(Class<?> application, String... properties) {
        return DashboardSite.startSecured(application, stack.with(properties));
    }

    static void login(DashboardSite site) {
        Matcher token = TOKEN_OF_FORM.matcher(site.get("/login").body());
        assertThat(token.find()).isTrue();
        String form =
                "username=operator&password=secret&_csrf=" + URLEncoder.encode(token.group(1), StandardCharsets.UTF_8);
        HttpResponse<String> response =
                site.send("POST", site.at("/login"), form, "Content-Type", "application/x-www-form-urlencoded");
        assertThat(response.statusCode()).isEqualTo(302);
        assertThat(header(response, "Location")).doesNotContain("error");
    }

    @ParameterizedTest
    @ValueSource(strings = {"management.endpoint.health.show-details=never", "management.server.port=0"})
    void aUserWhoLogsInSteersWithTheTokenOfTheSession(String property) {
        try (DashboardSite site = start(JobsApplication.class, property)) {
            for (String path : List.of("", "/", "/app.js", "/settings", "/token")) {
                HttpResponse<String> anonymous = site.get(PAGE + path, "Accept", "text/html");
                assertThat(anonymous.statusCode()).as(path).isEqualTo(302);
                assertThat(header(anonymous, "Location")).as(path).endsWith("/login");
                assertThat(header(anonymous, "Wheel-Csrf-Token")).isEmpty();
                assertThat(header(anonymous, "Wheel-Node")).isEmpty();
            }
            login(site);
            assertThat(site.get(PAGE).statusCode()).isEqualTo(200);
            assertThat(header(site.get(PAGE), "Cache-Control")).isEqualTo("no-cache");
            assertThat(header(site.get(PAGE), "Content-Security-Policy")).contains("frame-ancestors 'none'");
            assertThat(header(site.get(PAGE), "Wheel-Csrf-Token")).isEmpty();
            assertThat(site.post(TASK, PAUSE).statusCode()).isEqualTo(403);

            HttpResponse<String> token = site.get(PAGE + "/token");
            assertThat(token.statusCode()).isEqualTo(200);
            assertThat(header(token, "Cache-Control")).isEqualTo("no-store");
            String[] headers = {header(token, "Wheel-Csrf-Header"), header(token, "Wheel-Csrf-Token")};
            assertThat(headers[0]).isEqualTo("X-CSRF-TOKEN");
            assertThat(site.wheel().getTaskRegistry().get(Jobs.REST).state()).isEqualTo(State.PENDING);
            assertThat(site.post(TASK, PAUSE, headers).statusCode()).isEqualTo(200);
            assertThat(site.wheel().getTaskRegistry().get(Jobs.REST).state()).isEqualTo(State.PAUSED);

            String[] fromElsewhere = {headers[0], headers[1], "Sec-Fetch-Site", "same-site"};
            assertThat(site.post(TASK, "{\"action\":\"resume\"}", fromElsewhere).statusCode())
                    .isEqualTo(403);
            assertThat(site.wheel().getTaskRegistry().get(Jobs.REST).state()).isEqualTo(State.PAUSED);
        }
    }

    @Test
    void rulesForTheEndpointHoldForItsFiles() {
        try (DashboardSite site = start(applicationWithRules)) {
            for (String path : List.of("", "/", "/app.js", "/settings", "/token", "/a/b", ";a=b/app.js", "/app%2ejs")) {
                assertThat(site.get(PAGE + path).statusCode()).as(path).isIn(400, 401);
            }
            assertThat(site.get("/actuator/wheelscheduler").statusCode()).isEqualTo(200);
            String[] operator = {"Authorization", "Basic b3BlcmF0b3I6c2VjcmV0"};
            assertThat(site.get(PAGE + "/app.js", operator).statusCode()).isEqualTo(200);
        }
    }
}
