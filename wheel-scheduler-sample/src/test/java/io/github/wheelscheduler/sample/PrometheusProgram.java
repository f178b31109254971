package io.github.wheelscheduler.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A Prometheus of one test, on a free port of this machine, which scrapes and evaluates each second. */
final class PrometheusProgram implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String CONFIGURATION = """
            global:
              scrape_interval: 1s
              evaluation_interval: 1s
            rule_files: [rules.yml]
            scrape_configs:
              - job_name: sample
                metrics_path: /actuator/prometheus
                static_configs:
                  - targets: ['localhost:{port}']
            """;

    private final Process process;
    private final URI address;
    private final HttpClient client = HttpClient.newHttpClient();

    private PrometheusProgram(Process process, URI address) {
        this.process = process;
        this.address = address;
    }

    /** Skips the test where a program is missing. */
    static void requireOrSkip(String program) {
        boolean isInstalled = Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                .splitAsStream(System.getenv().getOrDefault("PATH", ""))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
        if (!isInstalled) {
            System.out.println("There is no " + program
                    + " here, so a test with it is skipped; Debian has it in the package prometheus");
        }
        assumeTrue(isInstalled, "no " + program);
    }

    /** Runs a program to its end, which must be a good one. */
    static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    /** Starts one that scrapes an application of this machine, and keeps everything in the directory. */
    static PrometheusProgram start(Path directory, int port, String rules) throws IOException {
        Files.writeString(directory.resolve("rules.yml"), rules);
        Path configuration = directory.resolve("prometheus.yml");
        Files.writeString(configuration, CONFIGURATION.replace("{port}", "" + port));
        Path log = directory.resolve("log");
        URI address = URI.create("http://127.0.0.1:" + freePort());
        Process process = new ProcessBuilder(
                        "prometheus",
                        "--config.file=" + configuration,
                        "--storage.tsdb.path=" + directory.resolve("data"),
                        "--web.listen-address=" + address.getAuthority())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        PrometheusProgram program = new PrometheusProgram(process, address);
        try {
            await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                assertThat(process.isAlive()).as(Files.readString(log)).isTrue();
                return program.get("/-/ready").statusCode() == 200;
            });
        } catch (RuntimeException ex) {
            program.close();
            throw new AssertionError("Prometheus must start, but has not: " + Files.readString(log), ex);
        }
        return program;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Returns the values that a query has now, but for what is no number. */
    List<Double> valuesOf(String query) throws IOException, InterruptedException {
        JsonNode result = data("/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8))
                .path("result");
        return result.valueStream()
                .map(series -> Double.valueOf(series.path("value").path(1).asString()))
                .filter(value -> !value.isNaN())
                .toList();
    }

    /** Returns whether an alert fires whose labels, with its name among them, have the text. */
    boolean fires(String alert, String text) throws IOException, InterruptedException {
        return data("/api/v1/alerts")
                .path("alerts")
                .valueStream()
                .anyMatch(each -> each.path("state").asString().equals("firing")
                        && each.path("labels").path("alertname").asString().equals(alert)
                        && each.path("labels").toString().contains(text));
    }

    private JsonNode data(String path) throws IOException, InterruptedException {
        HttpResponse<String> response = get(path);
        assertThat(response.statusCode()).as("%s: %s", path, response.body()).isEqualTo(200);
        return JsonMapper.builder().build().readTree(response.body()).path("data");
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(address.resolve(path)).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException ex) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
