package io.github.wheelscheduler.autoconfigure.dashboard;

import static io.github.wheelscheduler.autoconfigure.dashboard.DashboardSite.header;
import static io.github.wheelscheduler.autoconfigure.dashboard.DashboardSite.valueAt;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.TimerWheelAutoConfiguration;
import io.github.wheelscheduler.autoconfigure.WheelSchedulerAutoConfiguration;
import io.github.wheelscheduler.durable.autoconfigure.DurableAutoConfiguration;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;

/** How the page is served. */
@ParameterizedClass
@EnumSource
class PageTest {

    private static final String PAGE = "/actuator/wheeldashboard";
    private static final Pattern LINK = Pattern.compile("(?:href|src)=\"([^\"]+)\"");

    private final WebStack stack;

    PageTest(WebStack stack) {
        this.stack = stack;
    }

    @AfterAll
    static void close() {
        WebStack.closeShared();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /actuator/wheeldashboard      |
            /manage/wheeldashboard        | management.endpoints.web.base-path=/manage
            /wheeldashboard               | management.endpoints.web.base-path=/
            /actuator/ops/the%20wheel     | management.endpoints.web.path-mapping.wheeldashboard=ops/the wheel, \
            management.endpoints.web.path-mapping.wheelscheduler=ops/tasks/w
            /admin/actuator/wheeldashboard| management.server.port=0, management.server.base-path=/admin
            /wheeldashboard               | management.server.port=0, management.endpoints.web.base-path=/, \
            management.endpoints.web.path-mapping.wheelscheduler=a/b/c
            """)
    void linksLeadToFilesAndEndpoints(String path, String properties) {
        if (properties == null) {
            showsAPageWhoseLinksLeadSomewhere(stack.shared(), path);
            return;
        }
        try (DashboardSite site = stack.start(properties.split(", ", -1))) {
            showsAPageWhoseLinksLeadSomewhere(site, path);
        }
    }

    @Test
    void linksLeadToFilesAndEndpointsBelowAContextPath() {
        try (DashboardSite site = stack.start(stack.contextPath("/shop"))) {
            showsAPageWhoseLinksLeadSomewhere(site, "/shop" + PAGE);
        }
    }

    private static void showsAPageWhoseLinksLeadSomewhere(DashboardSite site, String path) {
        URI page = site.at(path);
        HttpResponse<String> shown = site.get(page, "Accept", "text/html,*/*;q=0.8");
        assertThat(shown.statusCode()).isEqualTo(200);
        assertThat(header(shown, "Content-Type")).isEqualTo("text/html;charset=UTF-8");
        List<String> links = LINK.matcher(shown.body())
                .results()
                .map((MatchResult link) -> link.group(1))
                .toList();
        assertThat(links).hasSizeGreaterThanOrEqualTo(2);
        for (String link : links) {
            assertThat(site.get(page.resolve(link)).statusCode()).as(link).isEqualTo(200);
        }

        String base = path.substring(path.lastIndexOf('/') + 1);
        assertThat(shown.body()).contains("\"" + base + "/app.js\"");
        HttpResponse<String> settings = site.get(page.resolve(base + "/settings"), "Accept", "application/json");
        String tasks = String.valueOf(valueAt(settings, "endpoints.wheelscheduler.path"));
        assertThat(site.get(page.resolve(tasks)).body()).contains("\"schedulers\":[");

        HttpResponse<String> slash = site.get(URI.create(page + "/?view=tasks&text=a%20b"));
        assertThat(slash.statusCode()).isEqualTo(302);
        assertThat(header(slash, "Location")).startsWith("../");
        assertThat(URI.create(page + "/").resolve(header(slash, "Location")))
                .isEqualTo(URI.create(page + "?view=tasks&text=a%20b"));
    }

    @Test
    void proxyMayStripAPrefix() {
        try (DashboardSite site = stack.start("server.forward-headers-strategy=framework")) {
            String[] forwarded = {"X-Forwarded-Prefix", "/prefix", "X-Forwarded-Host", "example.com"};
            assertThat(site.get(PAGE, forwarded).body()).contains("\"wheeldashboard/app.js\"");
            assertThat(header(site.get(PAGE + "/", forwarded), "Location")).isEqualTo("../wheeldashboard");
            assertThat(valueAt(site.get(PAGE + "/settings", forwarded), "endpoints.wheelscheduler.path"))
                    .isEqualTo("wheelscheduler");
        }
    }

    @Test
    void pageIsServedSafelyAndOnce() {
        try (DashboardSite site = stack.start("spring.application.name=shop & co")) {
            for (String path : List.of("", "/app.js", "/settings", "/token", "/none.js", "/", "/a/b")) {
                HttpResponse<String> response = site.get(PAGE + path);
                assertThat(header(response, "Content-Security-Policy"))
                        .as(path)
                        .startsWith("default-src 'none'; script-src 'self';")
                        .contains("frame-ancestors 'none'");
                assertThat(header(response, "X-Content-Type-Options")).isEqualTo("nosniff");
                assertThat(header(response, "Referrer-Policy")).isEqualTo("no-referrer");
                assertThat(header(response, "Cache-Control"))
                        .as(path)
                        .isEqualTo(path.isEmpty() || path.equals("/app.js") ? "no-cache" : "no-store");
            }
            assertThat(header(site.get(PAGE + "/app.js"), "Content-Type")).isEqualTo("text/javascript;charset=UTF-8");
            assertThat(site.get(PAGE + "/token").body()).isEqualTo("{}");
            assertThat(site.get(PAGE + "/token").headers().map()).doesNotContainKey("wheel-csrf-token");
            assertThat(valueAt(site.get(PAGE + "/settings"), "application")).isEqualTo("shop & co");

            for (String path : List.of("", "/app.js")) {
                String etag = header(site.get(PAGE + path), "ETag");
                HttpResponse<String> again = site.get(PAGE + path, "If-None-Match", etag);
                assertThat(again.statusCode()).as(path).isEqualTo(304);
                assertThat(again.body()).isEmpty();
                assertThat(header(again, "Content-Security-Policy")).isNotEmpty();
                assertThat(site.get(PAGE + path, "If-None-Match", "\"old\"").statusCode())
                        .isEqualTo(200);
                assertThat(site.send("HEAD", site.at(PAGE + path), "").statusCode())
                        .isEqualTo(200);
            }
            assertThat(site.post(PAGE, "{}").statusCode()).isIn(404, 405);
        }
    }

    @Test
    void eachAnswerNamesItsNode() {
        DashboardSite other = stack.shared();
        try (DashboardSite site = DashboardSite.start(
                ApplicationWithHistory.class, stack.with("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID()))) {
            String node = header(site.get(PAGE), "Wheel-Node");
            assertThat(node).matches("[\\w.%-]+:\\d+#[\\w-]{36}");
            for (String path : List.of(
                    "/actuator/wheelscheduler",
                    "/actuator/wheelscheduler/none",
                    "/actuator/wheelhistory",
                    "/actuator/wheelhistory/sums",
                    PAGE + "/token")) {
                assertThat(header(site.get(path), "Wheel-Node")).as(path).isEqualTo(node);
            }
            assertThat(header(site.post("/actuator/wheelscheduler", "{}"), "Wheel-Node"))
                    .isEqualTo(node);
            assertThat(header(site.get("/actuator/health"), "Wheel-Node")).isEmpty();
            assertThat(header(other.get(PAGE), "Wheel-Node")).isNotEqualTo(node);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(exclude = DurableAutoConfiguration.class)
    @EnableScheduling
    static class ApplicationWithHistory {}

    @Test
    void noOtherFileIsServed() {
        DashboardSite site = stack.shared();
        for (String file : List.of(
                "index.html",
                "none.js",
                "app.JS",
                ".app.js",
                "..",
                "../app.js",
                "%2e%2e/PageFiles.class",
                "..%2fPageFiles.class",
                "%2e%2e%2fPageFiles.class",
                "..%5cPageFiles.class",
                "app.js%00.css",
                "app.js/",
                "PageFiles.class",
                "page",
                "%20")) {
            assertThat(site.get(PAGE + "/" + file).statusCode()).as(file).isIn(400, 404);
        }
    }

    @Test
    void pageNamesUnreachableEndpoints() {
        try (DashboardSite site = stack.start("management.endpoints.web.exposure.include=wheeldashboard")) {
            HttpResponse<String> settings = site.get(PAGE + "/settings");
            assertThat(valueAt(settings, "endpoints.wheelscheduler.exposed")).isEqualTo(false);
            assertThat(valueAt(settings, "endpoints.wheeldurable.exposed")).isEqualTo(false);
            assertThat(valueAt(settings, "application")).isEqualTo("");
            assertThat(valueAt(settings, "scheduler")).isEqualTo(true);
        }
        try (DashboardSite site = stack.start("management.endpoint.wheelscheduler.access=read-only")) {
            assertThat(valueAt(site.get(PAGE + "/settings"), "endpoints.wheelscheduler.exposed"))
                    .isEqualTo(true);
            assertThat(valueAt(site.get(PAGE + "/settings"), "endpoints.wheelscheduler.steering"))
                    .isEqualTo(false);
        }
        assertThat(valueAt(stack.shared().get(PAGE + "/settings"), "endpoints.wheelscheduler.steering"))
                .isEqualTo(true);
    }

    @Test
    void pageSaysThatNoSchedulerIsThere() {
        try (DashboardSite site =
                stack.start("spring.autoconfigure.exclude=" + WheelSchedulerAutoConfiguration.class.getName() + ","
                        + TimerWheelAutoConfiguration.class.getName())) {
            HttpResponse<String> settings = site.get(PAGE + "/settings");
            assertThat(valueAt(settings, "endpoints.wheelscheduler.exposed")).isEqualTo(false);
            assertThat(valueAt(settings, "scheduler")).isEqualTo(false);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "management.endpoints.web.exposure.include=health,wheelscheduler",
                "management.endpoints.web.exposure.exclude=wheeldashboard",
                "management.endpoint.wheeldashboard.access=none",
                "management.endpoints.access.max-permitted=none"
            })
    void itIsOnlyThereWhereItIsExposed(String property) {
        try (DashboardSite site = stack.start(property)) {
            for (String path : List.of("", "/", "/app.js", "/settings", "/token")) {
                assertThat(site.get(PAGE + path).statusCode()).as(path).isEqualTo(404);
            }
        }
    }
}
