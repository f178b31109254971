package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

/** What an IDE knows about the properties of durable tasks. */
class DurableMetadataTest {

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
                        Map.entry("management.health.wheeldurable.enabled", "java.lang.Boolean true"),
                        Map.entry("wheel.scheduler.durable.claim-ahead", "java.time.Duration 1s"),
                        Map.entry("wheel.scheduler.durable.close-limit", "java.time.Duration 20s"),
                        Map.entry("wheel.scheduler.durable.dead-after", "java.time.Duration 6s"),
                        Map.entry("wheel.scheduler.durable.enabled", "java.lang.Boolean true"),
                        Map.entry("wheel.scheduler.durable.forget-after", "java.time.Duration 7d"),
                        Map.entry("wheel.scheduler.durable.heartbeat", "java.time.Duration 1500ms"),
                        Map.entry(
                                "wheel.scheduler.durable.initialize-schema",
                                "io.github.wheelscheduler.durable.autoconfigure.DurableProperties$Initialization embedded"),
                        Map.entry("wheel.scheduler.durable.max-claimed", "java.lang.Integer 2000"),
                        Map.entry("wheel.scheduler.durable.max-concurrent", "java.lang.Integer 10"),
                        Map.entry("wheel.scheduler.durable.node", "java.lang.String null"),
                        Map.entry("wheel.scheduler.durable.table", "java.lang.String wheel_durable_task"));
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
        try (InputStream in = DurableAutoConfiguration.class.getResourceAsStream(METADATA)) {
            assertThat(in).as(METADATA).isNotNull();
            String json = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return (List<Map<String, Object>>)
                    JsonParserFactory.getJsonParser().parseMap(json).get("properties");
        }
    }
}
