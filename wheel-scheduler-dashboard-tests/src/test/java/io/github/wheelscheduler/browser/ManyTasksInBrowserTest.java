package io.github.wheelscheduler.browser;

import static io.github.wheelscheduler.browser.Browser.hook;
import static io.github.wheelscheduler.browser.Browser.rowOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.OperatingSystemMXBean;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.Timed;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;

/** How long the page takes with 5,000 tasks, and what it costs the application. */
@InBrowser
@Timed
class ManyTasksInBrowserTest {

    private static final int TASKS = 5_000;
    private static final Duration WINDOW = Duration.ofSeconds(10);
    private static final int WARMING = 300;

    private static Server server;

    @BeforeAll
    static void start() {
        server = start(List.of("org.springframework.security", "org.springframework.boot.security"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {}

    private static Server start(List<String> hidden) {
        Server started = Server.start(Application.class, hidden, Server.NO_DURABLE_TASKS);
        TaskRegistry registry = started.wheel().getTaskRegistry();
        for (int i = 0; i < TASKS; i++) {
            TaskSchedule schedule = i % 10 == 0
                    ? TaskSchedule.cron("0 %d %d * * *".formatted(i / 10 % 60, i % 24))
                    : TaskSchedule.fixedRate(Duration.ofHours(1));
            ScheduledFuture<?> unused = registry.schedule("task-%04d".formatted(i), () -> {}, schedule);
        }
        return started;
    }

    @Test
    void firstViewAndSearchAreQuick(Browser browser) {
        for (String view : List.of("overview", "day", "tasks")) {
            long start = System.nanoTime();
            browser.open(server.dashboard("view=" + view));
            browser.awaitText(hook("view"), view.equals("overview") ? "taskScheduler" : "task-");
            print("first view, " + view, start, 10_000);
        }
        for (String text : List.of("task-4711", "471", "4713")) {
            long start = System.nanoTime();
            browser.type(hook("search"), text);
            browser.awaitText(hook("total"), "“" + text + "”");
            print("search for " + text, start, 3_000);
        }
        browser.one(rowOf("task-4713"));
    }

    private static void print(String what, long start, long atMostMillis) {
        long millis = Duration.ofNanos(System.nanoTime() - start).toMillis();
        System.out.printf("> dashboard: %,d tasks, %s: %,d ms%n", TASKS, what, millis);
        assertThat(millis).as(what).isLessThan(atMostMillis);
    }

    /** All but the application is in other processes, or waits. */
    @Test
    void openPageCostsTheApplicationLittleAndAClosedOneNothing(Browser browser) throws Exception {
        double closed = coreShare();
        for (String view : List.of("overview", "tasks")) {
            browser.open(server.dashboard("live=1&view=" + view));
            browser.awaitText(hook("view"), "task");
            warmUp(browser);
            double open = coreShare() - closed;
            System.out.printf("> dashboard: %,d tasks, %s open at 1 s: %.2f %% of a core%n", TASKS, view, open * 100);
            assertThat(open).as("share of a core").isLessThan(0.02);
        }
        browser.open("about:blank");
        double closedAgain = coreShare();
        server.close();
        double without;
        try (Server bare = start(List.of(
                "org.springframework.security",
                "org.springframework.boot.security",
                "io.github.wheelscheduler.dashboard"))) {
            assertThat(bare.wheel().getTaskRegistry().size()).isEqualTo(TASKS);
            without = coreShare();
        }
        server = start(List.of("org.springframework.security", "org.springframework.boot.security"));
        System.out.printf(
                "> dashboard: %,d tasks, closed: %.2f %% of a core, and %.2f %% after it was open; without it: %.2f %%%n",
                TASKS, closed * 100, closedAgain * 100, without * 100);
        assertThat(closedAgain - without).as("share of a core, closed").isLessThan(0.005);
    }

    /** Asks what the page has asked until it is compiled. */
    private static void warmUp(Browser browser) throws IOException, InterruptedException {
        Object asked = browser.script("return [...new Set(performance.getEntriesByType('resource')"
                + ".filter(entry => entry.initiatorType === 'fetch').map(entry => entry.name))]");
        HttpClient client = HttpClient.newHttpClient();
        for (int i = 0; i < WARMING; i++) {
            for (Object address : (List<?>) asked) {
                client.send(
                        HttpRequest.newBuilder(URI.create(String.valueOf(address)))
                                .build(),
                        HttpResponse.BodyHandlers.discarding());
            }
        }
    }

    /** Returns what this process uses of a processor while the test waits. */
    private static double coreShare() {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        long used = system.getProcessCpuTime();
        long start = System.nanoTime();
        await().pollDelay(WINDOW).atMost(WINDOW.multipliedBy(10)).until(() -> true);
        return (double) (system.getProcessCpuTime() - used) / (System.nanoTime() - start);
    }
}
