package io.github.wheelscheduler.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.durable.autoconfigure.DurableProperties;
import io.github.wheelscheduler.testing.AcceptedText;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Parameter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.util.ClassUtils;

/** An IDE knows our properties. */
class ConfigurationMetadataTest {

    private static final String METADATA = "/META-INF/spring-configuration-metadata.json";

    /** Those of a single task or group are not in the metadata, but in the records that its maps name. */
    @Test
    void propertiesAreThoseOfTheText() throws IOException {
        List<String> lines = new ArrayList<>();
        for (Map<String, Object> property : entries("properties")) {
            String line = property.get("name") + ": " + property.get("type");
            lines.add(property.containsKey("defaultValue") ? line + " = " + property.get("defaultValue") : line);
        }
        lines.addAll(named("wheel.scheduler.tasks.<id>", TaskProperties.class));
        lines.addAll(named("wheel.scheduler.groups.<name>", GroupProperties.class));
        lines.addAll(named("wheel.scheduler.durable.handlers.<name>", DurableProperties.OfHandler.class));
        new AcceptedText("properties").requireEqual(lines);
    }

    private static List<String> named(String prefix, Class<?> type) {
        List<String> lines = new ArrayList<>();
        for (Parameter parameter : type.getDeclaredConstructors()[0].getParameters()) {
            String name = prefix + "." + DataObjectPropertyName.toDashedForm(parameter.getName());
            DefaultValue usual = parameter.getAnnotation(DefaultValue.class);
            if (parameter.getType().isRecord()) {
                lines.addAll(named(name, parameter.getType()));
            } else {
                String line = name + ": " + parameter.getParameterizedType().getTypeName();
                lines.add(usual == null ? line : line + " = " + String.join(",", usual.value()));
            }
        }
        return lines;
    }

    @Test
    void everyValueOfAnEnumIsHinted() throws IOException {
        Map<String, List<String>> hinted = new TreeMap<>();
        for (Map<String, Object> hint : entries("hints")) {
            hinted.put(
                    String.valueOf(hint.get("name")),
                    values(hint).stream()
                            .map(value -> String.valueOf(value.get("value")))
                            .toList());
        }
        for (Map<String, Object> property : entries("properties")) {
            Class<?> type = typeOf(property);
            if (type != null && type.isEnum()) {
                assertThat(hinted.get(property.get("name")))
                        .as("the hint for %s", property.get("name"))
                        .containsExactlyElementsOf(Arrays.stream(type.getEnumConstants())
                                .map(value -> value.toString().toLowerCase(Locale.ROOT))
                                .toList());
            }
        }
        assertThat(hinted).containsKeys("wheel.scheduler.mode", "wheel.scheduler.durable.initialize-schema");
    }

    @Test
    void everyHintIsForAPropertyAndDescribesItsValues() throws IOException {
        List<String> names = entries("properties").stream()
                .map(property -> String.valueOf(property.get("name")))
                .toList();
        assertThat(entries("hints")).isNotEmpty().allSatisfy(hint -> {
            assertThat(names).contains(String.valueOf(hint.get("name")).replace(".keys", ""));
            assertThat(values(hint))
                    .allSatisfy(value ->
                            assertThat(value.get("description")).asString().matches("[A-Z][^{}<>]+[.]"));
        });
    }

    /** Returns the type of a property if it is one of ours, without parameters. */
    private static @Nullable Class<?> typeOf(Map<String, Object> property) {
        String name = String.valueOf(property.get("type"));
        return name.startsWith("io.github.wheelscheduler.")
                ? ClassUtils.resolveClassName(name, ConfigurationMetadataTest.class.getClassLoader())
                : null;
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> values(Map<String, Object> hint) {
        return (List<Map<String, Object>>) hint.get("values");
    }

    @Test
    void everyPropertyIsDescribedInSentences() throws IOException {
        assertThat(entries("properties"))
                .allSatisfy(property -> assertThat(property)
                        .extractingByKey("description")
                        .asString()
                        .matches("[A-Z][^{}@<>]+\\."));
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> entries(String kind) throws IOException {
        try (InputStream in = WheelSchedulerAutoConfiguration.class.getResourceAsStream(METADATA)) {
            assertThat(in).as(METADATA).isNotNull();
            String json = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return (List<Map<String, Object>>)
                    JsonParserFactory.getJsonParser().parseMap(json).get(kind);
        }
    }
}
