package io.github.wheelscheduler.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.durable.DurableEngine;
import io.github.wheelscheduler.durable.DurableObserver;
import io.github.wheelscheduler.durable.DurableSettings;
import io.github.wheelscheduler.sample.GrafanaFiles.Alert;
import io.github.wheelscheduler.sample.GrafanaFiles.Query;
import io.github.wheelscheduler.spring.TimerWheel;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard and the alert rules of docs/grafana name what the sample gives to Prometheus, and each other. */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "management.metrics.tags.application=sample",
            "management.metrics.distribution.percentiles-histogram.wheel.scheduler.task.run=true",
            "management.metrics.distribution.percentiles-histogram.wheel.scheduler.durable.run=true"
        })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GrafanaTest {

    private static final String EXAMPLES = "src/test/resources/alerts-test.yml";

    /** What Prometheus itself adds to a series. */
    private static final Set<String> OF_THE_TARGET = Set.of("job", "instance");

    private static final Pattern LABEL_OF_LEGEND = Pattern.compile("\\{\\{(\\w+)}}");
    private static final Pattern LABEL_OF_TEXT = Pattern.compile("\\$labels\\.(\\w+)");
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{?(\\w+)");
    private static final Pattern VALUES = Pattern.compile("label_values\\((.*), (\\w+)\\)");
    private static final Pattern RANGE = Pattern.compile("\\[([^\\]]*)]");

    @Autowired
    private DurableObserver durable;

    @LocalServerPort
    private int port;

    private GrafanaFiles files;
    private Scrape scrape;

    /**
     * An engine that never starts needs no database, and has all meters but the ones that come with a handler's first
     * run.
     */
    @TestConfiguration(proxyBeanMethods = false)
    @Import(PrometheusScrapeTest.MoreTimers.class)
    static class UnstartedEngine {

        @Bean
        DurableEngine durableEngine(TimerWheel wheel) {
            return new DurableEngine(
                    DurableSettings.ofNode("n1"),
                    wheel.executor(),
                    new DriverManagerDataSource(),
                    JsonMapper.builder().build(),
                    DurableObserver.NONE);
        }
    }

    @BeforeAll
    void scrape() throws IOException, InterruptedException {
        files = GrafanaFiles.read();
        durable.starting("mail", Duration.ofMillis(1));
        durable.ended("mail", Duration.ofMillis(1), true);
        durable.ended("mail", Duration.ofMillis(1), false);
        URI uri = URI.create("http://localhost:%d/actuator/prometheus".formatted(port));
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        scrape = Scrape.parse(response.body());
    }

    // What is scraped

    @Test
    void eachQueryNamesWhatIsScraped() {
        assertThat(files.queries()).hasSizeGreaterThan(40).allSatisfy(query -> {
            PromQuery names = PromQuery.parse(query.expression());
            assertScraped(names);
            assertThat(names.grouping()).containsAll(foundIn(LABEL_OF_LEGEND, query.legend()));
        });
    }

    @Test
    void eachAlertNamesWhatIsScraped() {
        assertThat(files.alerts()).hasSizeGreaterThan(10).allSatisfy(alert -> {
            PromQuery names = PromQuery.parse(alert.expression());
            assertScraped(names);
            Set<String> kept = alert.expression().contains(" by ")
                    ? names.grouping()
                    : labelsOf(names.metrics().iterator().next());
            assertThat(kept)
                    .containsAll(foundIn(LABEL_OF_TEXT, alert.annotations().toString()));
        });
    }

    @Test
    void eachVariableAsksForALabelThatIsScraped() {
        List<JsonNode> asking = files.variables().stream()
                .filter(variable -> variable.path("type").asString().equals("query"))
                .toList();
        assertThat(asking).hasSize(5).allSatisfy(variable -> {
            Matcher values = VALUES.matcher(variable.path("definition").asString());
            assertThat(values.matches()).isTrue();
            PromQuery names = PromQuery.parse(values.group(1));
            assertScraped(names);
            assertThat(labelsOf(names.metrics().iterator().next())).contains(values.group(2));
            assertThat(variable.path("query").path("query").asString()).isEqualTo(values.group());
        });
    }

    private void assertScraped(PromQuery names) {
        assertThat(names.metrics()).isNotEmpty().allSatisfy(metric -> {
            assertThat(scrape.find(metric)).as(metric).isNotEmpty();
            assertThat(labelsOf(metric)).as(metric).containsAll(names.grouping());
        });
        assertThat(names.matchers()).allSatisfy(matcher -> {
            assertThat(labelsOf(matcher.metric())).as(matcher.metric()).contains(matcher.label());
            if (!matcher.value().startsWith("$")) {
                assertThat(scrape.find(matcher.metric(), matcher.label(), matcher.value()))
                        .isNotEmpty();
            }
        });
    }

    private Set<String> labelsOf(String metric) {
        Set<String> labels = new HashSet<>(OF_THE_TARGET);
        scrape.find(metric).forEach(sample -> labels.addAll(sample.labels().keySet()));
        return labels;
    }

    private static Set<String> foundIn(Pattern pattern, String text) {
        Set<String> found = new TreeSet<>();
        pattern.matcher(text).results().map(match -> match.group(1)).forEach(found::add);
        return found;
    }

    // The files

    @Test
    void eachAlertNamesAPanelAndWhatToDo() {
        assertThat(files.alerts()).allSatisfy(alert -> {
            assertThat(alert.annotations()).containsKeys("summary", "description", "action");
            assertThat(alert.annotations())
                    .containsEntry("dashboard", files.dashboard().path("title").asString());
            assertThat(files.panels())
                    .anyMatch(panel -> panel.path("id")
                                    .asString()
                                    .equals(alert.annotations().get("panel_id"))
                            && panel.path("title")
                                    .asString()
                                    .equals(alert.annotations().get("panel")));
        });
        assertThat(files.alerts().stream().map(Alert::name)).doesNotHaveDuplicates();
    }

    /** An action names further panels by their titles. */
    @Test
    void eachPanelThatAnActionNamesExists() {
        List<String> titles = files.panels().stream()
                .map(panel -> panel.path("title").asString())
                .toList();
        List<String> named = files.alerts().stream()
                .flatMap(alert ->
                        foundIn(
                                Pattern.compile("\"([^\"]+)\""),
                                alert.annotations().getOrDefault("action", ""))
                                .stream())
                .toList();
        assertThat(named).hasSizeGreaterThan(5);
        assertThat(titles).containsAll(named);
    }

    @Test
    void variablesAreDefinedAndUsed() {
        Set<String> defined = new TreeSet<>(Set.of("__rate_interval", "__range"));
        files.variables().forEach(variable -> defined.add(variable.path("name").asString()));
        String text = files.dashboard().toString().replace("\"$__all\"", "");
        assertThat(foundIn(VARIABLE, text)).isEqualTo(defined);
    }

    /** Provisioning fills in neither the input of an import nor another data source. */
    @Test
    void dataSourceIsTheVariable() {
        Set<String> uids = new TreeSet<>();
        GrafanaFiles.forEachObject(files.dashboard(), node -> {
            if (node.has("uid")) {
                uids.add(node.path("uid").asString());
            }
        });
        assertThat(uids).containsExactlyInAnyOrder("${datasource}", "-- Grafana --");
        assertThat(files.dashboard().has("__inputs")).isFalse();
        assertThat(files.dashboard().has("uid")).isFalse();
    }

    @Test
    void rangesAreThoseOfWhatIsShown() {
        assertThat(files.queries().stream().flatMap(query -> foundIn(RANGE, query.expression()).stream()))
                .isNotEmpty()
                .allMatch(Set.of(GrafanaFiles.RATE_INTERVAL, GrafanaFiles.RANGE)::contains);
    }

    @Test
    void panelsAreUniform() {
        assertThat(files.panels()).hasSizeGreaterThan(30).allSatisfy(panel -> {
            String title = panel.path("title").asString();
            assertThat(title).isNotBlank();
            assertThat(panel.path("description").asString()).as(title).endsWith(".");
            assertThat(panel.path("targets").size()).as(title).isPositive();
            JsonNode defaults = panel.path("fieldConfig").path("defaults");
            assertThat(defaults.has("unit") || panel.toString().contains("\"unit\":\"s\""))
                    .as("unit of %s", title)
                    .isTrue();
        });
        assertThat(files.panels().stream().map(panel -> panel.path("id").asInt()))
                .doesNotHaveDuplicates();
        assertThat(files.panels().stream().map(panel -> panel.path("title").asString()))
                .doesNotHaveDuplicates();
        assertThat(files.queries().stream().filter(query -> query.legend().isEmpty()))
                .extracting(Query::panel)
                .isSubsetOf(
                        "Instances",
                        "Schedulers",
                        "Registered tasks",
                        "Tasks that failed",
                        "First in the queue",
                        "Tasks");
    }

    // The rules

    @Test
    void rulesAreWellFormed() throws Exception {
        PrometheusProgram.requireOrSkip("promtool");
        PrometheusProgram.run("promtool", "check", "rules", GrafanaFiles.ALERTS.toString());
    }

    @Test
    void rulesFireOnDaysThatAreMadeUp() throws Exception {
        PrometheusProgram.requireOrSkip("promtool");
        PrometheusProgram.run("promtool", "test", "rules", EXAMPLES);
    }

    /** Without an example for each, a rule could be one that never fires. */
    @Test
    void eachAlertIsMadeToFire() throws IOException {
        String examples = Files.readString(Path.of(EXAMPLES));
        assertThat(files.alerts()).allSatisfy(alert -> assertThat(examples).contains("\"" + alert.name() + "\""));
    }
}
