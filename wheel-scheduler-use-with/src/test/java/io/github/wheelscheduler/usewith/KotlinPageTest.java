package io.github.wheelscheduler.usewith;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Kotlin of {@code docs/kotlin-and-gradle.md} is what runs here, and its Gradle names what is published. */
class KotlinPageTest {

    private static final Path PAGE = Path.of("../docs/kotlin-and-gradle.md");
    private static final Path TEST = Path.of("src/test/kotlin/io/github/wheelscheduler/usewith/KotlinTest.kt");
    private static final Pattern KOTLIN =
            Pattern.compile("^```kotlin\n(?!plugins)(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern IN_TEST =
            Pattern.compile("^ *// snippet\n(.*?)^ *// end of snippet$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern GRADLE =
            Pattern.compile("^```(?:kotlin|groovy)\n(plugins.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern ARTIFACT = Pattern.compile("io\\.github\\.wheelscheduler:([a-z-]+)(?::([^\"']+))?");
    private static final Pattern VERSION = Pattern.compile("<version>([^<]+)</version>");

    @Test
    void kotlinOfThePageIsWhatRunsHere() throws IOException {
        assertThat(parts(KOTLIN, PAGE)).isNotEmpty().isEqualTo(parts(IN_TEST, TEST));
    }

    @Test
    void gradleOfThePageNamesWhatIsPublished() throws IOException {
        List<String> builds = parts(GRADLE, PAGE);
        assertThat(builds).hasSize(2);
        String version = VERSION.matcher(Files.readString(Path.of("../README.md")))
                .results()
                .findFirst()
                .orElseThrow()
                .group(1);
        for (String build : builds) {
            assertThat(ARTIFACT.matcher(build).results().toList())
                    .hasSizeGreaterThan(2)
                    .allSatisfy(artifact -> {
                        assertThat(Path.of("..", artifact.group(1), "pom.xml")).exists();
                        assertThat(artifact.group(2)).isIn(null, version);
                    });
        }
    }

    private static List<String> parts(Pattern pattern, Path file) throws IOException {
        return pattern.matcher(Files.readString(file))
                .results()
                .map(found -> found.group(1).stripTrailing().stripIndent())
                .toList();
    }
}
