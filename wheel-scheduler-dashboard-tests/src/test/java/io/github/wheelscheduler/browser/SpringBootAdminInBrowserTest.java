package io.github.wheelscheduler.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import de.codecentric.boot.admin.server.config.EnableAdminServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** Spring Boot Admin shows tasks, health and meters of an application on the wheel. */
@InBrowser
class SpringBootAdminInBrowserTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Pattern ID = Pattern.compile("\"id\":\"(\\w+)\"");
    private static final String TIME = "\\s+\\w{3} \\d+, \\d{4}, \\d+:\\d\\d:\\d\\d [AP]M\\s+";

    /** A task that has not run, a failing one, and one that runs often. */
    private static final List<Pattern> ALL_TASKS = Stream.of(
                    "Shop.sendInvoices\\s+At 09:00 AM, Monday through Friday" + TIME,
                    "Shop.syncWarehouse\\s+1s" + TIME + TIME + "(ERROR|STARTED)",
                    "Shop.importOrders\\s+1s" + TIME + TIME + "(SUCCESS|STARTED)")
            .map(Pattern::compile)
            .toList();

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static Server shop;
    private static Server admin;

    /** The address of the shop in the server of Spring Boot Admin. */
    private static String instance;

    @BeforeAll
    static void start() throws Exception {
        shop = Server.start("management.endpoint.health.show-details=always");
        admin = Server.start(
                Admin.class,
                List.of("org.springframework.security", "org.springframework.boot.security"),
                Server.NO_DURABLE_TASKS);
        String registration = """
                {"name": "shop", "managementUrl": "%1$s/actuator", "healthUrl": "%1$s/actuator/health",
                 "serviceUrl": "%1$s"}""".formatted(shop.url(""));
        HttpRequest request = HttpRequest.newBuilder(URI.create(admin.url("/instances")))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(registration))
                .build();
        Matcher id = ID.matcher(
                CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).body());
        assertThat(id.find()).isTrue();
        instance = admin.url("/instances/" + id.group(1));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(get(instance)).contains("\"statusInfo\":{\"status\":\"UP\""));
    }

    @AfterAll
    static void stop() {
        admin.close();
        shop.close();
    }

    @Test
    void healthOfTheWheelIsPartOfTheInstance() throws Exception {
        assertThat(get(instance))
                .containsPattern("\"wheelScheduler\":\\{\"components\":\\{\"reports\":.*\"tickThread\":\"RUNNING\"");
    }

    @Test
    void tasksAreShownWithTheirNextAndLastRuns(Browser browser) {
        browser.open(instance + "/scheduledtasks");
        browser.awaitText("body", "Shop.importOrders");
        browser.awaitText("body", "Shop.countStock");
        browser.awaitThat(
                "tasks with schedule, next run and state of the last run",
                () -> ALL_TASKS.stream()
                        .allMatch(row -> row.matcher(browser.text("body")).find()));
    }

    @Test
    void metersAreListed(Browser browser) {
        browser.open(instance + "/metrics");
        browser.awaitText("body", "wheel.scheduler.task.run");
        assertThat(browser.text("body")).contains("wheel.scheduler.lateness", "tasks.scheduled.execution");
    }

    private static String get(String url) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .header("Accept", "application/json")
                .build();
        return CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAdminServer
    @EnableAutoConfiguration
    static class Admin {}
}
