package org.example.webflux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.boot.test.context.SpringBootTest.WebEnvironment.RANDOM_PORT;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest(webEnvironment = RANDOM_PORT)
class WebFluxApplicationTest {

    @Value("${local.server.port}")
    int port;

    @Test
    void endpointsShowTheTasksAndNoSbomOfALibrary() throws IOException, InterruptedException {
        assertThat(get("wheelscheduler")).contains("org.example.webflux.WebFluxApplication.beat");
        assertThat(get("wheeldashboard")).containsIgnoringCase("<!doctype html>");
        assertThat(get("sbom")).isEqualTo("{\"ids\":[]}");
    }

    private String get(String endpoint) throws IOException, InterruptedException {
        URI address = URI.create("http://localhost:" + port + "/actuator/" + endpoint);
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        return response.body();
    }
}
