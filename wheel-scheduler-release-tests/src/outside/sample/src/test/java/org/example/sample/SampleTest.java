package org.example.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.boot.test.context.SpringBootTest.WebEnvironment.RANDOM_PORT;

import io.github.wheelscheduler.sample.SampleApplication;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest(classes = SampleApplication.class, webEnvironment = RANDOM_PORT)
class SampleTest {

    private static final String BEAT = "wheelscheduler/io.github.wheelscheduler.sample.AnnotatedTasks.beat";

    @Value("${local.server.port}")
    int port;

    @Test
    void tasksAreShownAndSteered() throws IOException, InterruptedException {
        assertThat(get("wheelscheduler?limit=100")).contains(".AnnotatedTasks.beat\"", "\"poll\"", "\"sync\"");
        assertThat(steer(BEAT, "pause")).contains("PAUSED");
        assertThat(steer(BEAT, "resume")).doesNotContain("PAUSED");
        assertThat(get("health/wheelScheduler")).contains("\"taskScheduler\"", "\"partners\"", "UP");
        assertThat(get("wheeldashboard")).containsIgnoringCase("<!doctype html>");
        assertThat(get("prometheus")).contains("wheel_scheduler_lateness_seconds");
    }

    private String get(String path) throws IOException, InterruptedException {
        return send(request(path));
    }

    private String steer(String path, String action) throws IOException, InterruptedException {
        return send(request(path)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"action\":\"" + action + "\"}")));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/" + path));
    }

    private static String send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response = HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }
}
