package io.github.wheelscheduler.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The calls that docs/actuator.md shows. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class SeeAndSteerTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String BEAT = "wheelscheduler/io.github.wheelscheduler.sample.AnnotatedTasks.beat";

    @LocalServerPort
    private int port;

    @Test
    void failingTaskIsSeenFailing() {
        awaitThat(() -> {
            Map<String, Object> task = json(get("wheelscheduler/sync"));
            assertThat(task)
                    .extractingByKey("last")
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("outcome", "FAILURE")
                    .containsEntry("exception", IllegalStateException.class.getName())
                    .containsEntry("message", "The warehouse does not answer");
        });
    }

    @Test
    void allTasksAreSeen() throws Exception {
        assertThat(get("wheelscheduler?limit=100").body())
                .contains("\"taskScheduler\"")
                .contains(".AnnotatedTasks.beat\"", ".AnnotatedTasks.report\"", "\"import\"")
                .contains("\"poll\"", "\"sync\"");
    }

    @Test
    void taskIsPausedReTimedTriggeredAndResumed() throws Exception {
        assertThat(post(BEAT, "{\"action\":\"pause\"}").statusCode()).isEqualTo(200);
        awaitThat(() -> assertThat(json(get(BEAT))).containsEntry("state", "PAUSED"));
        Object runs = json(get(BEAT)).get("runs");
        assertThat(post(BEAT, "{\"action\":\"retime\",\"fixedRate\":\"50ms\"}").statusCode())
                .isEqualTo(200);
        assertThat(json(get(BEAT)))
                .extractingByKey("schedule")
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("text", "PT0.05S");
        assertThat(post(BEAT, "{\"action\":\"trigger\"}").statusCode()).isEqualTo(200);
        awaitThat(() -> assertThat(json(get(BEAT)).get("runs")).isNotEqualTo(runs));
        assertThat(post(BEAT, "{\"action\":\"resume\"}").statusCode()).isEqualTo(200);
        awaitThat(() -> assertThat(json(get(BEAT)).get("state")).isIn("PENDING", "RUNNING"));
    }

    @Test
    void healthShowsTheScheduler() throws Exception {
        assertThat(json(get("health")))
                .extractingByKey("components")
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .extractingByKey("wheelScheduler")
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .extractingByKey("components")
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsOnlyKeys("taskScheduler", "partners")
                .extractingByKey("taskScheduler")
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("status", "UP")
                .containsKey("details");
    }

    @Test
    void schedulerIsPausedAndResumed() throws Exception {
        try {
            assertThat(json(post("wheelscheduler", "{\"action\":\"pause\"}"))).containsEntry("state", "PAUSED");
            HttpResponse<String> health = get("health/wheelScheduler/taskScheduler");
            assertThat(health.statusCode()).isEqualTo(200);
            assertThat(health.body()).contains("UP", "the scheduler is paused");
        } finally {
            assertThat(json(post("wheelscheduler", "{\"action\":\"resume\"}"))).containsEntry("state", "RUNNING");
        }
    }

    @Test
    void prometheusIsAnswered() throws Exception {
        HttpResponse<String> scrape = get("prometheus");
        assertThat(scrape.statusCode()).isEqualTo(200);
        assertThat(scrape.body()).contains("process_uptime_seconds");
    }

    private static void awaitThat(ThrowingRunnable assertion) {
        await().atMost(PATIENCE).untilAsserted(assertion);
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(request(path).build());
    }

    private HttpResponse<String> post(String path, String json) throws IOException, InterruptedException {
        return send(request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:%d/actuator/%s".formatted(port, path)));
    }

    private static HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static Map<String, Object> json(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonParserFactory.getJsonParser().parseMap(response.body());
    }
}
