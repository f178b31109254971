package io.github.wheelscheduler.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.testing.Timed;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationContext;
import org.springframework.scheduling.TaskScheduler;

/** The application as it starts, with everything it shows. */
@Timed
@ExtendWith(OutputCaptureExtension.class)
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "sample.report-after=1s")
class SampleApplicationTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @LocalServerPort
    private int port;

    @Test
    void sampleRunsOnTheWheel(@Autowired TaskScheduler scheduler) {
        assertThat(scheduler).isExactlyInstanceOf(WheelTaskScheduler.class);
    }

    /** They are on the class path for a demonstration only. */
    @Test
    void databaseAndDurableTasksAreAbsent(@Autowired ApplicationContext context) {
        // The API of JTA comes with the Hibernate of other tests.
        assertThat(context.getBeanDefinitionNames())
                .filteredOn(name -> !name.endsWith(".JtaAutoConfiguration"))
                .isNotEmpty()
                .noneSatisfy(name -> assertThat(name).containsPattern("(?i)jdbc|datasource|transaction|durable"));
    }

    /** Printed once more, as the table of the start may have been captured by another test. */
    @Test
    void tableIsPrinted(@Autowired ReportPrinter printer, CapturedOutput output) {
        printer.printLater();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(output)
                        .contains("on the wheel:", "should run", "worst delay")
                        .contains("heartbeat", "report", "import", "warm-up", "poll", "reminder", "sync")
                        .contains("/actuator/wheeldashboard", "Stop with Ctrl+C"));
    }

    /** A task that is running has no next time yet, so it may take some calls. */
    @ParameterizedTest
    @CsvSource({"fixedRate, 100", "fixedDelay, 500", "cron, 2000"})
    void theActuatorShowsWhenEveryTaskComesNext(String kind, long atMostMillisAhead) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            Instant before = Instant.now();
            Object next = taskOf(kind).get("nextExecution");
            Instant after = Instant.now();
            assertThat(next)
                    .isInstanceOfSatisfying(
                            Map.class,
                            execution -> assertThat(Instant.parse(String.valueOf(execution.get("time"))))
                                    .isBetween(before, after.plusMillis(atMostMillisAhead)));
        });
    }

    @Test
    void actuatorShowsTheInstantThatTheCronExpressionNames() {
        await().atMost(PATIENCE).untilAsserted(() -> {
            Object next = taskOf("cron").get("nextExecution");
            assertThat(next).isInstanceOfSatisfying(Map.class, execution -> {
                long millis =
                        Instant.parse(String.valueOf(execution.get("time"))).toEpochMilli();
                assertThat((millis + 100) % 2_000)
                        .as("time after an even second")
                        .isLessThan(200);
            });
        });
    }

    @Test
    void actuatorIsHealthyAndHasMetrics() throws Exception {
        assertThat(get("health")).containsEntry("status", "UP");
        assertThat(get("metrics"))
                .extractingByKey("names")
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .contains("process.uptime");
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> taskOf(String kind) throws IOException, InterruptedException {
        List<Map<String, Object>> tasks =
                (List<Map<String, Object>>) get("scheduledtasks").get(kind);
        List<Map<String, Object>> frequent = tasks.stream()
                .filter(task -> !AnnotatedTasks.NIGHTLY_CRON.equals(task.get("expression")))
                .toList();
        assertThat(frequent).hasSize(1);
        return frequent.get(0);
    }

    private Map<String, Object> get(String endpoint) throws IOException, InterruptedException {
        URI uri = URI.create("http://localhost:%d/actuator/%s".formatted(port, endpoint));
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        return JsonParserFactory.getJsonParser().parseMap(response.body());
    }
}
