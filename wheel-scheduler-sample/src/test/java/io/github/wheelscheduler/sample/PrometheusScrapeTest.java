package io.github.wheelscheduler.sample;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.WheelSnapshot;
import io.github.wheelscheduler.keyed.KeyedTimers;
import io.github.wheelscheduler.lease.LeaseRenewer;
import io.github.wheelscheduler.lease.Renewal;
import io.github.wheelscheduler.spring.TimerWheel;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;

/**
 * What the sample, without a group, gives to Prometheus: every meter of docs/metrics.md, with values that match what
 * its tasks did.
 */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {"spring.profiles.active=one-scheduler", "wheel.scheduler.max-pending=1000"})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PrometheusScrapeTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Path PAGE = Path.of("..", "docs", "metrics.md");
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

    /** The beans that have our meters. */
    private static final List<String> NAMES = List.of("taskScheduler", "unpaid", "locks");

    /** Fails every third time. */
    private static final String MOODY = "moody";

    private static final String BEAT = "io.github.wheelscheduler.sample.AnnotatedTasks.beat";

    @Autowired
    private WheelTaskScheduler scheduler;

    @Autowired
    private TaskBoard board;

    @LocalServerPort
    private int port;

    private final AtomicInteger moodyRuns = new AtomicInteger();
    private TaskRegistry registry;
    private Scrape scrape;

    /** While the scheduler is paused, all counts stand still. */
    @BeforeAll
    void runPauseAndScrape() throws Exception {
        registry = scheduler.getTaskRegistry();
        ScheduledFuture<?> task =
                registry.schedule(MOODY, this::runMoodily, TaskSchedule.fixedRate(Duration.ofMillis(5)));
        awaitThat(() -> moodyRuns.get() >= 30);
        registry.pause(MOODY);
        awaitThat(() -> registry.get(MOODY).skips() >= 3);
        awaitThat(() -> board.lines().stream().allMatch(line -> line.runs() > 0));
        scheduler.stop();
        awaitThat(() -> scheduler.getActiveCount() == 0);
        scrape = scrape();
        assertThat(task.isDone()).isFalse();
    }

    @AfterAll
    void goOn() {
        scheduler.start();
    }

    /** What the sample has no need of. */
    @TestConfiguration(proxyBeanMethods = false)
    static class MoreTimers {

        @Bean
        KeyedTimers<String, String> unpaid(TimerWheel wheel) {
            return KeyedTimers.<String, String>builder(wheel.executor(), (key, value) -> {})
                    .build();
        }

        @Bean
        LeaseRenewer<String> locks(TimerWheel wheel) {
            return LeaseRenewer.<String>builder(wheel.executor(), key -> Renewal.Outcome.RENEWED)
                    .build();
        }
    }

    private void runMoodily() {
        if (moodyRuns.incrementAndGet() % 3 == 0) {
            throw new IllegalStateException("Every third time");
        }
    }

    private static void awaitThat(Callable<Boolean> condition) {
        await().atMost(PATIENCE).until(condition);
    }

    private Scrape scrape() throws IOException, InterruptedException {
        URI uri = URI.create("http://localhost:%d/actuator/prometheus".formatted(port));
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        return Scrape.parse(response.body());
    }

    // The page

    @Test
    void everyDocumentedMeterIsThereWithItsTags() throws IOException {
        List<List<String>> rows = rows();
        assertThat(rows).hasSizeGreaterThan(20);
        assertThat(rows).allSatisfy(cells -> {
            for (String name : namesOf(cells)) {
                List<Scrape.Sample> ours = scrape.find(name).stream()
                        .filter(sample -> NAMES.contains(sample.labels().get("name")))
                        .toList();
                assertThat(ours).as(name).isNotEmpty();
                assertThat(ours)
                        .as(name)
                        .allSatisfy(sample -> assertThat(sample.labels()).containsOnlyKeys(quotedIn(cells.get(3))));
            }
        });
    }

    /** Returns the cells of each row of the table of meters. */
    private static List<List<String>> rows() throws IOException {
        return Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("| `"))
                .map(line -> List.of(line.substring(2, line.length() - 2).split(" \\| ", -1)))
                .filter(cells -> cells.size() == 6)
                .toList();
    }

    /** Returns what Prometheus calls the parts of a meter. */
    private static Stream<String> partsOf(String type, String name) {
        return switch (type) {
            case "timer" -> Stream.of(name + "_count", name + "_sum");
            case "counter" -> Stream.of(name + "_total");
            default -> Stream.of(name);
        };
    }

    private static List<String> namesOf(List<String> cells) {
        String name = quotedIn(cells.get(0))[0].replace('.', '_');
        String unit = cells.get(2);
        boolean hasUnit = List.of(name.split("_", -1)).contains(unit);
        return partsOf(cells.get(1), hasUnit ? name : name + "_" + unit).toList();
    }

    private static String[] quotedIn(String text) {
        return QUOTED.matcher(text).results().map(result -> result.group(1)).toArray(String[]::new);
    }

    @Test
    void nameHasNoUnitTwice() {
        assertThat(scrape.samples())
                .extracting(Scrape.Sample::name)
                .filteredOn(name -> name.startsWith("wheel_"))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(name.split("_", -1)).doesNotHaveDuplicates());
    }

    // The values

    @Test
    void runsAndFailuresAreThoseThatTheTaskHasCounted() {
        int failures = moodyRuns.get() / 3;
        assertThat(runsOf(MOODY, "SUCCESS")).isEqualTo(moodyRuns.get() - failures);
        assertThat(runsOf(MOODY, "ERROR")).isEqualTo(failures);
        assertThat(runsOf(BEAT, "SUCCESS")).isEqualTo(ranOnBoard("heartbeat"));
        assertThat(count("wheel_scheduler_failed_runs_total")).isEqualTo(failures + ranOnBoard("sync"));
    }

    @Test
    void allRunsAreCounted() {
        long skips = registry.get(MOODY).skips();
        long runs = moodyRuns.get()
                + board.lines().stream().mapToLong(TaskLog.Line::runs).sum();
        assertThat(count("wheel_scheduler_fired_runs_total")).isEqualTo(runs + skips);
        assertThat(count("executor_completed_tasks_total")).isEqualTo(runs + skips);
        assertThat(count("wheel_scheduler_skipped_runs_total", "reason", "paused"))
                .isEqualTo(skips);
        for (String stage : List.of("wheel", "queue")) {
            assertThat(count("wheel_scheduler_lateness_seconds_count", "stage", stage))
                    .isEqualTo(runs + skips);
        }
    }

    @Test
    void eachTaskIsShownAsTheRegistryShowsIt() {
        Map<String, TaskInfo> metered = registry.list(0, 100).stream()
                .filter(task -> !scrape.find("wheel_scheduler_task_overruns_total", "task", task.id())
                        .isEmpty())
                .collect(toMap(TaskInfo::id, task -> task));
        assertThat(metered).hasSizeGreaterThanOrEqualTo(6).containsKeys(MOODY, BEAT, "poll", "sync");
        metered.forEach((id, task) -> {
            assertThat(runsOf(id, "SUCCESS")).as(id).isEqualTo(task.runs() - task.failures());
            assertThat(count("wheel_scheduler_task_lateness_seconds_count", "task", id))
                    .as(id)
                    .isEqualTo(task.runs());
            assertThat(count("wheel_scheduler_task_overruns_total", "task", id))
                    .as(id)
                    .isEqualTo(task.overruns());
            if (task.lastSuccess() != null) {
                assertThat(ours("wheel_scheduler_task_last_success_seconds", "task", id))
                        .as(id)
                        .isCloseTo(task.lastSuccess().toEpochMilli() / 1_000.0, within(0.01));
            }
        });
        assertThat(count("wheel_scheduler_tasks", "metered", "true")).isEqualTo(metered.size());
    }

    @Test
    void workersAndPendingTasksAreThoseOfTheScheduler() {
        WheelSnapshot seen = scheduler.getWheelScheduledExecutor().snapshot();
        assertThat(count("executor_pool_max_threads")).isEqualTo(256);
        assertThat(count("executor_active_threads")).isZero();
        assertThat(count("executor_queued_tasks")).isEqualTo(seen.pending());
        assertThat(count("wheel_scheduler_pending_tasks")).isEqualTo(seen.pending());
        assertThat(count("wheel_scheduler_scheduled_tasks_total"))
                .isEqualTo(seen.totals().scheduled());
        assertThat(count("executor_queue_remaining_tasks")).isEqualTo(1_000 - seen.pending());
    }

    private long runsOf(String task, String outcome) {
        return count("wheel_scheduler_task_run_seconds_count", "task", task, "outcome", outcome);
    }

    private long count(String name, String... labels) {
        return (long) ours(name, labels);
    }

    private double ours(String name, String... labels) {
        String[] all = Stream.concat(Stream.of("name", "taskScheduler"), Stream.of(labels))
                .toArray(String[]::new);
        return scrape.value(name, all);
    }

    private int ranOnBoard(String task) {
        return board.lines().stream()
                .filter(line -> line.name().equals(task))
                .mapToInt(TaskLog.Line::runs)
                .sum();
    }
}
