package io.github.wheelscheduler.autoconfigure.dashboard;

import static io.github.wheelscheduler.autoconfigure.dashboard.DashboardSite.header;
import static io.github.wheelscheduler.autoconfigure.dashboard.DashboardSite.valueAt;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.testing.Jobs;
import io.github.wheelscheduler.spring.task.TaskInfo.State;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a page of another site can make a browser send. */
@ParameterizedClass
@EnumSource
class CrossSiteTest {

    private static final String ENDPOINT = "/actuator/wheelscheduler";
    private static final String TASK = ENDPOINT + "/" + Jobs.REST;
    private static final String PAUSE = "{\"action\":\"pause\"}";
    private static final String SITE = "Sec-Fetch-Site";

    /** Paths that lead to the task for one server or another, or look as if they did. */
    private static final List<String> HOSTILE = List.of(
            TASK,
            "/" + TASK,
            "//localhost" + TASK,
            "/actuator//wheelscheduler/" + Jobs.REST,
            ENDPOINT + "//" + Jobs.REST,
            TASK + "/",
            TASK + "//",
            "/actuator;a=b/wheelscheduler/" + Jobs.REST,
            "/actuator/wheelscheduler;a=b/" + Jobs.REST,
            "/actuator/wheelscheduler;/" + Jobs.REST,
            TASK + ";a=b",
            "/;a=b" + TASK,
            "/%61ctuator/wheelscheduler/" + Jobs.REST,
            "/actuator/%77heelscheduler/" + Jobs.REST,
            "/actuator/%77%68eelschedule%72;%61/" + Jobs.REST,
            ENDPOINT + "/%69" + Jobs.REST.substring(1),
            "/actuator%2fwheelscheduler/" + Jobs.REST,
            ENDPOINT + "%2f" + Jobs.REST,
            "/actuator%5cwheelscheduler/" + Jobs.REST,
            "/actuator\\wheelscheduler/" + Jobs.REST,
            "/x/.." + TASK,
            "/." + TASK,
            "/actuator/./wheelscheduler/" + Jobs.REST,
            "/actuator/x/../wheelscheduler/" + Jobs.REST,
            "/actuator/x/%2e%2e/wheelscheduler/" + Jobs.REST,
            "/actuator/x/..;/wheelscheduler/" + Jobs.REST,
            "/actuator/health/../wheelscheduler/" + Jobs.REST,
            "/actuator/wheelscheduler%00/" + Jobs.REST,
            "/actuator/wheelscheduler%20/" + Jobs.REST,
            "/ACTUATOR/WHEELSCHEDULER/" + Jobs.REST,
            "http://localhost" + TASK,
            TASK + "?a=b",
            TASK + "?_method=PUT",
            TASK + "#a");

    private final WebStack stack;

    CrossSiteTest(WebStack stack) {
        this.stack = stack;
    }

    @AfterAll
    static void close() {
        WebStack.closeShared();
    }

    /** Whether a request pauses the task or its scheduler, which go on afterwards. */
    private static boolean steers(DashboardSite site, String path, String json, String... headerLines) {
        String ignored = site.postRaw(path, json, headerLines);
        boolean steered = site.wheel().getTaskRegistry().get(Jobs.REST).state() == State.PAUSED
                || !site.wheel().isRunning();
        site.wheel().getTaskRegistry().resume(Jobs.REST);
        site.wheel().start();
        return steered;
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/shop"})
    void noPathLetsThePageOfAnotherSiteSteer(String contextPath) {
        if (contextPath.isEmpty()) {
            letsNoPathSteer(stack.shared(), contextPath);
            return;
        }
        try (DashboardSite site = stack.start(stack.contextPath(contextPath))) {
            letsNoPathSteer(site, contextPath);
        }
    }

    private static void letsNoPathSteer(DashboardSite site, String contextPath) {
        List<String> paths = new ArrayList<>();
        HOSTILE.forEach(path -> paths.add(path.startsWith("http") ? path : contextPath + path));
        if (!contextPath.isEmpty()) {
            paths.addAll(List.of(
                    "/%73hop" + TASK, "/shop;a=b" + TASK, "//shop" + TASK, "/shop/" + TASK, "/x/../shop" + TASK));
        }
        List<String> steering = new ArrayList<>();
        for (String path : paths) {
            if (steers(site, path, PAUSE)) {
                steering.add(path);
            }
            for (String value : List.of("cross-site", "same-site", "Cross-Site", "same-origin, cross-site", "new")) {
                assertThat(steers(site, path, PAUSE, SITE + ": " + value))
                        .as("%s: %s", value, path)
                        .isFalse();
            }
            assertThat(steers(site, path, PAUSE, "sec-fetch-site: none", "SEC-FETCH-SITE: cross-site"))
                    .as(path)
                    .isFalse();
        }
        assertThat(steering)
                .as("paths that lead to the task")
                .contains(contextPath + TASK)
                .hasSizeGreaterThan(4);
    }

    @Test
    void refusedRequestIsAnsweredWithTheRule() {
        DashboardSite site = stack.shared();
        for (String path : List.of(ENDPOINT, TASK, ENDPOINT + "/none", ENDPOINT + "/")) {
            for (String value : List.of("cross-site", "same-site")) {
                HttpResponse<String> refused = site.post(path, PAUSE, SITE, value, "Origin", "https://evil.example");
                assertThat(refused.statusCode()).as(path).isEqualTo(403);
                assertThat(header(refused, "Content-Type")).startsWith("application/json");
                assertThat(String.valueOf(valueAt(refused, "error")))
                        .contains("must steer from a page of the same origin")
                        .contains("management.endpoints.web.cors")
                        .hasSizeLessThanOrEqualTo(200);
                assertThat(header(refused, "Wheel-Node")).isNotEmpty();
            }
        }
        for (String method : List.of("PUT", "DELETE", "PATCH", "BREW")) {
            assertThat(site.send(method, site.at(TASK), "", SITE, "cross-site").statusCode())
                    .as(method)
                    .isEqualTo(403);
        }
        assertThat(site.wheel().isRunning()).isTrue();
    }

    @Test
    void pageItselfAndScriptsSteer() {
        DashboardSite site = stack.shared();
        for (String[] headers : new String[][] {{}, {SITE, "same-origin"}, {SITE, "none"}}) {
            assertThat(site.post(TASK, PAUSE, headers).statusCode()).isEqualTo(200);
        }
        site.wheel().getTaskRegistry().resume(Jobs.REST);
    }

    @Test
    void pageOfAnotherSiteMayLookWhereAnyPageMay() {
        DashboardSite site = stack.shared();
        assertThat(site.get(TASK, SITE, "cross-site").statusCode()).isEqualTo(200);
        assertThat(site.post("/actuator/loggers/none", "{}", SITE, "cross-site").statusCode())
                .isNotEqualTo(403);
    }

    @Test
    void pageOfAnOriginThatCorsAllowsSteers() {
        try (DashboardSite site = stack.start(
                "management.endpoints.web.cors.allowed-origins=https://console.example",
                "management.endpoints.web.cors.allowed-methods=GET,POST")) {
            assertThat(site.post(TASK, PAUSE, SITE, "cross-site", "Origin", "https://console.example")
                            .statusCode())
                    .isEqualTo(200);
            for (String origin : List.of("https://evil.example", "http://console.example", "null")) {
                assertThat(site.post(TASK, PAUSE, SITE, "cross-site", "Origin", origin)
                                .statusCode())
                        .as(origin)
                        .isEqualTo(403);
            }
            assertThat(site.post(TASK, PAUSE, SITE, "cross-site").statusCode()).isEqualTo(403);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "management.server.port=0",
                "management.endpoints.web.base-path=/",
                "management.endpoints.web.path-mapping.wheelscheduler=ops/wheel",
                "management.endpoint.wheeldashboard.access=none"
            })
    void itIsRefusedWhereverTheEndpointIs(String property) {
        String path = property.endsWith("ops/wheel")
                ? "/actuator/ops/wheel/" + Jobs.REST
                : property.endsWith("=/") ? "/wheelscheduler/" + Jobs.REST : TASK;
        try (DashboardSite site = stack.start(property)) {
            assertThat(steers(site, path, PAUSE)).isTrue();
            assertThat(steers(site, path, PAUSE, SITE + ": cross-site")).isFalse();
            assertThat(site.post(path, PAUSE, SITE, "cross-site").statusCode()).isEqualTo(403);
        }
    }
}
