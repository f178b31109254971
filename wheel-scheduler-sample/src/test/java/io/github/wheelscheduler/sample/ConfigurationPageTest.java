package io.github.wheelscheduler.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The table of properties on the page about configuration, and the metadata that IDEs read, have the same ones. */
class ConfigurationPageTest {

    private static final Path PAGE = Path.of("..", "docs", "configuration.md");
    private static final String PREFIX = "wheel.scheduler.";

    /** A property, and its default if that is code; other words describe a default that depends on something. */
    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `(wheel\\.scheduler\\.[^`]+)` \\| (?:`([^`]+)`|[^|]*) \\|");

    /** A key of a map, and what follows it. */
    private static final Pattern KEY = Pattern.compile("\\.<.*");

    @Test
    void tableHasEveryPropertyWithItsDefault() throws IOException {
        Map<String, String> shown = new TreeMap<>();
        ROW.matcher(Files.readString(PAGE)).results().forEach(row -> {
            String name = KEY.matcher(row.group(1)).replaceFirst("");
            assertThat(shown).as("rows of %s", name).doesNotContainKey(name);
            shown.put(name, row.group(2) == null ? "" : row.group(2));
        });
        assertThat(shown).isNotEmpty().isEqualTo(metadata());
    }

    /** Those of durable tasks have a page of their own. */
    private static Map<String, String> metadata() throws IOException {
        Map<String, String> defaults = new TreeMap<>();
        ClassLoader loader = ConfigurationPageTest.class.getClassLoader();
        for (URL url : Collections.list(loader.getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream in = url.openStream()) {
                for (JsonNode property :
                        JsonMapper.shared().readTree(in.readAllBytes()).path("properties")) {
                    String name = property.path("name").asString();
                    if (name.startsWith(PREFIX) && !name.startsWith(PREFIX + "durable.")) {
                        defaults.put(name, property.path("defaultValue").asString(""));
                    }
                }
            }
        }
        return defaults;
    }
}
