package io.github.wheelscheduler.sample;

import static java.util.stream.Collectors.toMap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.springframework.beans.factory.config.YamlMapFactoryBean;
import org.springframework.core.io.FileSystemResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The dashboard and the alert rules of docs/grafana.
 *
 * @param panels those in rows that are closed, too, but no rows
 */
record GrafanaFiles(JsonNode dashboard, List<JsonNode> panels, List<Alert> alerts) {

    static final Path DASHBOARD = Path.of("..", "docs", "grafana", "wheel-scheduler.json");
    static final Path ALERTS = Path.of("..", "docs", "grafana", "alerts.yml");
    static final String RATE_INTERVAL = "$__rate_interval";
    static final String RANGE = "$__range";

    /** A query of a panel. */
    record Query(String panel, String expression, String legend) {}

    /** A rule. */
    record Alert(String name, String expression, Map<String, String> annotations) {}

    static GrafanaFiles read() throws IOException {
        JsonNode dashboard = JsonMapper.builder().build().readTree(Files.readString(DASHBOARD));
        List<JsonNode> panels = new ArrayList<>();
        for (JsonNode panel : dashboard.path("panels")) {
            (isRow(panel) ? panel.path("panels") : List.of(panel)).forEach(panels::add);
        }
        return new GrafanaFiles(dashboard, panels, alertsOf(ALERTS));
    }

    private static boolean isRow(JsonNode panel) {
        return panel.path("type").asString().equals("row");
    }

    private static List<Alert> alertsOf(Path file) {
        YamlMapFactoryBean yaml = new YamlMapFactoryBean();
        yaml.setResources(new FileSystemResource(file));
        JsonNode rules = JsonMapper.builder().build().valueToTree(Objects.requireNonNull(yaml.getObject()));
        List<Alert> alerts = new ArrayList<>();
        for (JsonNode group : rules.path("groups")) {
            for (JsonNode rule : group.path("rules")) {
                alerts.add(new Alert(
                        rule.path("alert").asString(),
                        rule.path("expr").asString(),
                        textsOf(rule.path("annotations"))));
            }
        }
        return alerts;
    }

    private static Map<String, String> textsOf(JsonNode node) {
        return node.properties().stream()
                .collect(toMap(Map.Entry::getKey, entry -> entry.getValue().asString()));
    }

    List<Query> queries() {
        List<Query> queries = new ArrayList<>();
        for (JsonNode panel : panels) {
            for (JsonNode target : panel.path("targets")) {
                queries.add(new Query(
                        panel.path("title").asString(),
                        target.path("expr").asString(),
                        target.path("legendFormat").asString()));
            }
        }
        return queries;
    }

    List<JsonNode> variables() {
        List<JsonNode> variables = new ArrayList<>();
        dashboard.path("templating").path("list").forEach(variables::add);
        return variables;
    }

    /** Calls back with each object below the node, and the node. */
    static void forEachObject(JsonNode node, Consumer<JsonNode> action) {
        if (node.isObject()) {
            action.accept(node);
        }
        node.forEach(child -> forEachObject(child, action));
    }
}
