package io.github.wheelscheduler.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.observation.WheelRunObservationConvention;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** README and docs show what compiles, name what exists, and keep to their limits. */
class PagesTest {

    private static final Path ROOT = Path.of("..");
    private static final int README_LINES = 120;
    private static final int LINE_LENGTH = 120;

    /** Programs write them; a command, or the text of a figure, is one line there. */
    private static final Set<String> WRITTEN =
            Set.of("benchmarks.md", "profiles.md", "scaling.md", "durable-measured.md");

    private static final Pattern JAVA = Pattern.compile("^```java\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern COMMENT = Pattern.compile("//[^\n]*|/\\*.*?\\*/", Pattern.DOTALL);
    private static final Pattern VAGUE =
            Pattern.compile("(?i)(?<![`\\w])((who|what)ever|some(body)|those[\\s*]+that)\\b");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]+)[^)\\s]*\\)");
    private static final Pattern REVISION = Pattern.compile("<revision>(.*)</revision>");
    private static final Pattern VERSION =
            Pattern.compile("wheel-scheduler-[a-z-]+(?:</artifactId>\\s*<version>|:)([0-9][0-9A-Za-z.-]*)");
    private static final Pattern NAME = Pattern.compile("(?<![\\w.-])wheel\\.scheduler(\\.[a-z-]+)+");
    private static final Pattern PROPERTY = Pattern.compile("\"name\": \"(wheel\\.scheduler\\.[^\"]+)\"");
    private static final Pattern METER = Pattern.compile("(?m)^\\| `(wheel\\.scheduler\\.[a-z.]+)` \\|");

    @Test
    void readmeHasAtMost120Lines() throws IOException {
        assertThat(Files.readAllLines(ROOT.resolve("README.md"))).hasSizeLessThanOrEqualTo(README_LINES);
    }

    @Test
    void linesHaveAtMost120Characters() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path page : pages()) {
            if (isWritten(page)) {
                continue;
            }
            for (String line : Files.readAllLines(page)) {
                if (line.length() > LINE_LENGTH && !line.startsWith("|") && !line.contains("](")) {
                    tooLong.add(page + ": " + line);
                }
            }
        }
        assertThat(tooLong).isEmpty();
    }

    /** Names of tests may have them; CONTRIBUTING, which bans them, has them in code style. */
    @Test
    void pagesAndSourcesAreInPlainWords() throws IOException {
        List<Path> texts = new ArrayList<>(pages());
        texts.addAll(PackagesTest.sources());
        List<String> vague = new ArrayList<>();
        for (Path text : texts) {
            VAGUE.matcher(Files.readString(text)).results().forEach(word -> vague.add(text + ": " + word.group()));
        }
        assertThat(vague).isEmpty();
    }

    @Test
    void linksLeadToFiles() throws IOException {
        List<String> dead = new ArrayList<>();
        for (Path page : pages()) {
            for (MatchResult link :
                    LINK.matcher(Files.readString(page)).results().toList()) {
                String target = link.group(1);
                if (!target.contains("://") && !Files.exists(page.resolveSibling(target))) {
                    dead.add(page + ": " + target);
                }
            }
        }
        assertThat(dead).isEmpty();
    }

    /** Spaces and comments do not count. The page names the class, which has the imports. */
    @Test
    void eachJavaSnippetIsPartOfATestClassThatItsPageNames() throws IOException {
        List<Path> sources = sources();
        for (Path page : pages()) {
            String text = Files.readString(page);
            List<String> named = new ArrayList<>();
            for (Path source : sources) {
                if (text.contains(source.getFileName().toString().replace(".java", ""))) {
                    named.add(code(Files.readString(source)));
                }
            }
            for (MatchResult snippet : JAVA.matcher(text).results().toList()) {
                assertThat(named)
                        .as("%s shows what no test class has that it names: %s", page, snippet.group(1))
                        .anyMatch(source -> isShown(source, snippet.group(1)));
            }
        }
    }

    @Test
    void versionsAreThatOfTheBuild() throws IOException {
        MatchResult revision = REVISION.matcher(Files.readString(ROOT.resolve("pom.xml")))
                .results()
                .findFirst()
                .orElseThrow();
        List<String> versions = new ArrayList<>();
        for (Path page : pages()) {
            VERSION.matcher(Files.readString(page)).results().forEach(version -> versions.add(version.group(1)));
        }
        assertThat(versions).hasSizeGreaterThan(4).containsOnly(revision.group(1));
    }

    @Test
    void propertiesExist() throws IOException {
        Set<String> known = properties();
        known.add(WheelRunObservationConvention.NAME);
        known.add("wheel.scheduler.schedule");
        for (String page : List.of("docs/metrics.md", "docs/actuator-history.md")) {
            METER.matcher(Files.readString(ROOT.resolve(page))).results().forEach(meter -> known.add(meter.group(1)));
        }
        Set<String> unknown = new TreeSet<>();
        for (Path page : pages()) {
            NAME.matcher(Files.readString(page))
                    .results()
                    .map(MatchResult::group)
                    .filter(name -> !isKnown(known, name))
                    .forEach(name -> unknown.add(page + ": " + name));
        }
        assertThat(known).contains("wheel.scheduler.enabled", "wheel.scheduler.durable.enabled");
        assertThat(unknown).isEmpty();
    }

    /** A prefix of properties is known, such as {@code wheel.scheduler.shutdown}, and so is a key of a map of them. */
    private static boolean isKnown(Set<String> known, String name) {
        return known.stream().anyMatch(other -> other.equals(name) || other.startsWith(name + "."))
                || name.startsWith("wheel.scheduler.tasks.")
                || name.startsWith("wheel.scheduler.groups.");
    }

    /** Whether the source has the snippet as a whole, perhaps with more before its last brace, or each of its parts. */
    private static boolean isShown(String source, String snippet) {
        return source.contains(code(snippet).replaceFirst("\\}$", ""))
                || Stream.of(snippet.split("\n\n")).map(PagesTest::code).allMatch(source::contains);
    }

    private static String code(String text) {
        return COMMENT.matcher(text).replaceAll("").replaceAll("\\s+", "");
    }

    private static Set<String> properties() throws IOException {
        Set<String> names = new TreeSet<>();
        ClassLoader loader = PagesTest.class.getClassLoader();
        for (String file : List.of("spring-configuration-metadata", "additional-spring-configuration-metadata")) {
            for (URL url : Collections.list(loader.getResources("META-INF/" + file + ".json"))) {
                try (InputStream in = url.openStream()) {
                    String json = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                    PROPERTY.matcher(json).results().forEach(name -> names.add(name.group(1)));
                }
            }
        }
        return names;
    }

    private static boolean isWritten(Path page) {
        return WRITTEN.contains(page.getFileName().toString()) && !page.startsWith(ROOT.resolve("docs"));
    }

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(filesIn(ROOT, 2, ".md"));
        pages.addAll(filesIn(ROOT.resolve("docs/adr"), 1, ".md"));
        return pages;
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> modules = Files.list(ROOT)) {
            List<Path> sources = new ArrayList<>();
            for (Path tests : modules.map(module -> module.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                sources.addAll(filesIn(tests, Integer.MAX_VALUE, ".java"));
            }
            return sources;
        }
    }

    private static List<Path> filesIn(Path directory, int depth, String end) throws IOException {
        try (Stream<Path> files = Files.walk(directory, depth)) {
            return files.filter(file -> file.toString().endsWith(end)).toList();
        }
    }
}
