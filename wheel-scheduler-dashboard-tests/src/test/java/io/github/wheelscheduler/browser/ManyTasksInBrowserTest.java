package io.github.wheelscheduler.browser;

import static io.github.wheelscheduler.browser.Browser.hook;
import static io.github.wheelscheduler.browser.Browser.rowOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.Timed;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;

/** How long the page takes with 5,000 tasks, and what it costs the application. */
@InBrowser
@Timed
class ManyTasksInBrowserTest {

    private static final int TASKS = 5_000;
    private static final int WINDOWS = 3;
    private static final Duration WINDOW = Duration.ofSeconds(2);

    /** How often the page asks for totals and kinds of failures. */
    private static final Duration SELDOM = Duration.ofSeconds(60);

    /** Until what answers is compiled. */
    private static final int WARMING = 100;

    // A figure is for people, and is best looked at where nothing else runs; a bound holds anywhere.
    private static final double MOST_OPEN = 0.1;
    private static final double MOST_CLOSED = 0.02;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {}

    private static Server start(String... hidden) {
        List<String> allHidden = Stream.concat(
                        Stream.of("org.springframework.security", "org.springframework.boot.security"),
                        Stream.of(hidden))
                .toList();
        Server started = Server.start(Application.class, allHidden, Server.NO_DURABLE_TASKS);
        addTasks(started);
        return started;
    }

    private static void addTasks(Server started) {
        TaskRegistry registry = started.wheel().getTaskRegistry();
        for (int i = 0; i < TASKS; i++) {
            TaskSchedule schedule = i % 10 == 0
                    ? TaskSchedule.cron("0 %d %d * * *".formatted(i / 10 % 60, i % 24))
                    : TaskSchedule.fixedRate(Duration.ofHours(1));
            ScheduledFuture<?> unused = registry.schedule("task-%04d".formatted(i), () -> {}, schedule);
        }
    }

    @Test
    void firstViewAndSearchAreQuick(Browser browser) {
        try (Server server = start()) {
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
            browser.leave();
        }
    }

    private static void print(String what, long start, long atMostMillis) {
        long millis = Duration.ofNanos(System.nanoTime() - start).toMillis();
        System.out.printf("> dashboard: %,d tasks, %s: %,d ms%n", TASKS, what, millis);
        assertThat(millis).as(what).isLessThan(atMostMillis);
    }

    @Test
    void openPageCostsLittleAndAClosedOneNothing(Browser browser) throws Exception {
        Map<String, Usage> open = new LinkedHashMap<>();
        double closed;
        try (Server server = start()) {
            for (String view : List.of("overview", "day", "tasks", "task&id=task-4710")) {
                browser.open(server.dashboard("live=1&view=" + view));
                browser.awaitText(hook("view"), "task");
                warmUp(browser);
                open.put(view, leastUsage(browser::answers));
            }
            browser.leave();
            closed = leastUsage(() -> 0).coreShare();
        }
        open.forEach((view, usage) -> {
            double millis = (usage.coreShare() - closed) * usage.seconds() * 1_000 / usage.answers();
            System.out.printf(
                    "> dashboard: %,d tasks, %s open at 1 s: %.2f ms of processor time an update, %.2f %% of a core%n",
                    TASKS, view, millis, millis / 10);
            assertThat(millis / 1_000).as(view).isLessThan(MOST_OPEN);
        });
        try (Server bare = start("io.github.wheelscheduler.dashboard")) {
            assertThat(bare.wheel().getTaskRegistry().size()).isEqualTo(TASKS);
            double without = leastUsage(() -> 0).coreShare();
            System.out.printf(
                    "> dashboard: %,d tasks, closed: %.2f %% of a core; without it: %.2f %%%n",
                    TASKS, closed * 100, without * 100);
            assertThat(closed - without).as("share of a core, closed").isLessThan(MOST_CLOSED);
        }
    }

    /** The history of 24 hours: its rows are asked for with each update, totals and kinds of failures seldom. */
    @Test
    void openHistoryCostsLittle(Browser browser) throws Exception {
        try (Server server = Server.start(
                Application.class,
                List.of("org.springframework.security", "org.springframework.boot.security"),
                // H2 would answer the same question from memory.
                "spring.datasource.url=jdbc:h2:mem:many;OPTIMIZE_REUSE_RESULTS=0",
                "spring.autoconfigure.exclude="
                        + "io.github.wheelscheduler.durable.autoconfigure.DurableAutoConfiguration")) {
            addTasks(server);
            HistoryShop.fillHours(server, TASKS);
            double before = leastUsage(() -> 0).coreShare();
            browser.open(server.dashboard("live=1&view=history&range=day"));
            browser.awaitText(hook("history-sums"), ",500 runs");
            List<URI> seldom = asked(browser).stream()
                    .filter(address -> address.getPath().matches(".*/(sums|failures)"))
                    .toList();
            assertThat(seldom).hasSize(2);
            askFor(
                    asked(browser).stream()
                            .filter(address -> !seldom.contains(address))
                            .toList(),
                    WARMING);
            Usage rows = leastUsage(browser::answers);
            double share = rows.coreShare() - before;
            browser.leave();
            for (URI address : seldom) {
                double millis = millisOf(address);
                System.out.printf(
                        "> dashboard: history of %,d tasks, %s once a minute: %.1f ms of processor time%n",
                        TASKS, address.getPath().replaceAll(".*/", ""), millis);
                share += millis / 1_000 / SELDOM.toSeconds();
            }
            System.out.printf(
                    "> dashboard: history of %,d tasks open at 1 s: %.2f %% of a core in all%n", TASKS, share * 100);
            assertThat(share).isLessThan(MOST_OPEN);
        }
    }

    private static double millisOf(URI address) throws IOException, InterruptedException {
        askFor(List.of(address), 10);
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < WINDOWS; i++) {
            Map<Long, Long> before = nanosOfThreads();
            askFor(List.of(address), 1);
            millis.add(nanosSince(before) / 1e6);
        }
        return Collections.min(millis);
    }

    /** Asks what the page has asked until it is compiled. */
    private static void warmUp(Browser browser) throws IOException, InterruptedException {
        askFor(asked(browser), WARMING);
    }

    private static List<URI> asked(Browser browser) {
        Object asked = browser.script("return [...new Set(performance.getEntriesByType('resource')"
                + ".filter(entry => entry.initiatorType === 'fetch' && !entry.name.includes('show=day'))"
                + ".map(entry => entry.name))]");
        return ((List<?>) asked)
                .stream().map(address -> URI.create(String.valueOf(address))).toList();
    }

    private static void askFor(List<URI> addresses, int times) throws IOException, InterruptedException {
        HttpClient client = HttpClient.newHttpClient();
        for (int i = 0; i < times; i++) {
            for (URI address : addresses) {
                HttpResponse<Void> answer =
                        client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.discarding());
                assertThat(answer.statusCode()).isEqualTo(200);
            }
        }
    }

    /**
     * What the threads of this process used of a processor; what compiles and collects garbage is none of them.
     *
     * @param coreShare of one processor
     * @param seconds how long that was
     * @param answers that the page showed meanwhile
     */
    private record Usage(double coreShare, double seconds, long answers) {}

    /**
     * Waits for some windows, and returns what the cheapest of them used. All but the application is in other
     * processes, or waits.
     */
    private static Usage leastUsage(LongSupplier answers) {
        List<Usage> windows = new ArrayList<>();
        for (int i = 0; i < WINDOWS; i++) {
            long shown = answers.getAsLong();
            Map<Long, Long> before = nanosOfThreads();
            long start = System.nanoTime();
            await().pollDelay(WINDOW).atMost(WINDOW.multipliedBy(10)).until(() -> true);
            double nanos = System.nanoTime() - start;
            double share = nanosSince(before) / nanos;
            windows.add(new Usage(share, nanos / 1e9, Math.max(1, answers.getAsLong() - shown)));
        }
        return windows.stream()
                .min(Comparator.comparingDouble(Usage::coreShare))
                .orElseThrow();
    }

    /** Returns what each thread has used, by its id. */
    private static Map<Long, Long> nanosOfThreads() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Map<Long, Long> nanos = new HashMap<>();
        for (long thread : threads.getAllThreadIds()) {
            nanos.put(thread, Math.max(0, threads.getThreadCpuTime(thread)));
        }
        return nanos;
    }

    /** Returns what threads have used since then. */
    private static long nanosSince(Map<Long, Long> before) {
        return nanosOfThreads().entrySet().stream()
                .mapToLong(one -> Math.max(0, one.getValue() - before.getOrDefault(one.getKey(), 0L)))
                .sum();
    }
}
