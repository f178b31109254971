package io.github.wheelscheduler.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

/** An IDE knows our properties. */
class ConfigurationMetadataTest {

    private static final String METADATA = "/META-INF/spring-configuration-metadata.json";

    @Test
    void everyPropertyHasItsTypeAndItsDefault() throws IOException {
        Map<String, String> facts = new TreeMap<>();
        for (Map<String, Object> property : properties()) {
            facts.put(String.valueOf(property.get("name")), property.get("type") + " " + property.get("defaultValue"));
        }
        assertThat(facts)
                .containsExactly(
                        Map.entry(
                                "management.endpoint.wheeldurable.access",
                                "org.springframework.boot.actuate.endpoint.Access read_only"),
                        Map.entry("management.endpoint.wheeldurable.cache.time-to-live", "java.time.Duration 0ms"),
                        Map.entry(
                                "management.endpoint.wheelscheduler.access",
                                "org.springframework.boot.actuate.endpoint.Access read_only"),
                        Map.entry("management.endpoint.wheelscheduler.cache.time-to-live", "java.time.Duration 0ms"),
                        Map.entry("management.health.wheeldurable.enabled", "java.lang.Boolean true"),
                        Map.entry("management.health.wheelscheduler.enabled", "java.lang.Boolean true"),
                        Map.entry("wheel.scheduler.durable.claim-ahead", "java.time.Duration 1s"),
                        Map.entry("wheel.scheduler.durable.close-limit", "java.time.Duration 20s"),
                        Map.entry("wheel.scheduler.durable.dead-after", "java.time.Duration 6s"),
                        Map.entry("wheel.scheduler.durable.enabled", "java.lang.Boolean true"),
                        Map.entry("wheel.scheduler.durable.forget-after", "java.time.Duration 7d"),
                        Map.entry(
                                "wheel.scheduler.durable.handlers",
                                "java.util.Map<java.lang.String,io.github.wheelscheduler.durable.autoconfigure.DurableProperties$OfHandler> null"),
                        Map.entry("wheel.scheduler.durable.heartbeat", "java.time.Duration 1500ms"),
                        Map.entry(
                                "wheel.scheduler.durable.initialize-schema",
                                "io.github.wheelscheduler.durable.autoconfigure.DurableProperties$Initialization embedded"),
                        Map.entry("wheel.scheduler.durable.keep-failed", "java.time.Duration null"),
                        Map.entry("wheel.scheduler.durable.max-claimed", "java.lang.Integer 2000"),
                        Map.entry("wheel.scheduler.durable.max-concurrent", "java.lang.Integer 10"),
                        Map.entry("wheel.scheduler.durable.max-deaths", "java.lang.Integer 5"),
                        Map.entry("wheel.scheduler.durable.node", "java.lang.String null"),
                        Map.entry("wheel.scheduler.durable.nudge", "java.lang.Boolean true"),
                        Map.entry("wheel.scheduler.durable.table", "java.lang.String wheel_durable_task"),
                        Map.entry("wheel.scheduler.enabled", "java.lang.Boolean true"),
                        Map.entry("wheel.scheduler.endpoint.min-interval", "java.time.Duration 1ms"),
                        Map.entry(
                                "wheel.scheduler.groups",
                                "java.util.Map<java.lang.String,io.github.wheelscheduler.autoconfigure.GroupProperties> null"),
                        Map.entry("wheel.scheduler.health.paused-status", "java.lang.String UP"),
                        Map.entry("wheel.scheduler.health.stuck-limit", "java.time.Duration 10s"),
                        Map.entry("wheel.scheduler.max-catch-up", "java.lang.Integer 10"),
                        Map.entry("wheel.scheduler.max-pending", "java.lang.Long null"),
                        Map.entry("wheel.scheduler.metrics.max-tasks", "java.lang.Integer 100"),
                        Map.entry("wheel.scheduler.metrics.tasks.exclude", "java.util.List<java.lang.String> null"),
                        Map.entry("wheel.scheduler.metrics.tasks.include", "java.util.List<java.lang.String> null"),
                        Map.entry("wheel.scheduler.mode", "io.github.wheelscheduler.spring.SchedulerMode run"),
                        Map.entry("wheel.scheduler.node", "java.lang.String null"),
                        Map.entry("wheel.scheduler.overdue.grace", "java.lang.Double 1"),
                        Map.entry("wheel.scheduler.overdue.shortest-grace", "java.time.Duration 1s"),
                        Map.entry("wheel.scheduler.shutdown.execute-delayed-tasks", "java.lang.Boolean true"),
                        Map.entry(
                                "wheel.scheduler.tasks",
                                "java.util.Map<java.lang.String,io.github.wheelscheduler.autoconfigure.TaskProperties> null"),
                        Map.entry("wheel.scheduler.tick", "java.time.Duration 16384ns"),
                        Map.entry(
                                "wheel.scheduler.unknown-settings",
                                "io.github.wheelscheduler.autoconfigure.OnUnknown fail"),
                        Map.entry(
                                "wheel.scheduler.unknown-tasks",
                                "io.github.wheelscheduler.autoconfigure.OnUnknown warn"),
                        Map.entry("wheel.scheduler.warn.interrupt-run", "java.time.Duration null"),
                        Map.entry("wheel.scheduler.warn.oversleep", "java.time.Duration 500ms"),
                        Map.entry("wheel.scheduler.warn.queue-wait", "java.time.Duration 1s"),
                        Map.entry("wheel.scheduler.warn.run", "java.time.Duration null"),
                        Map.entry("wheel.scheduler.worker.keep-alive", "java.time.Duration 60s"),
                        Map.entry("wheel.scheduler.worker.max-size", "java.lang.Integer null"));
    }

    @Test
    void everyPropertyIsDescribedInSentences() throws IOException {
        assertThat(properties())
                .allSatisfy(property -> assertThat(property)
                        .extractingByKey("description")
                        .asString()
                        .matches("[A-Z][^{}@<>]+\\."));
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> properties() throws IOException {
        try (InputStream in = WheelSchedulerAutoConfiguration.class.getResourceAsStream(METADATA)) {
            assertThat(in).as(METADATA).isNotNull();
            String json = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return (List<Map<String, Object>>)
                    JsonParserFactory.getJsonParser().parseMap(json).get("properties");
        }
    }
}
