package io.github.wheelscheduler.usewith;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each snippet of {@code docs/use-with.md} is a marked part of a test here, and each marked part is on the page. */
class UseWithPageTest {

    private static final Path PAGE = Path.of("../docs/use-with.md");
    private static final Path TESTS = Path.of("src/test/java/io/github/wheelscheduler/usewith");

    /** The sections of the page, in its order, and the tests that they show. */
    private static final Map<String, String> SECTIONS = sections();

    private static final Pattern SECTION = Pattern.compile("^## (.*)\n((?:(?!## ).*\n?)*)", Pattern.MULTILINE);
    private static final Pattern ON_PAGE = Pattern.compile("^```java\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern IN_TEST =
            Pattern.compile("^ *// snippet\n(.*?)^ *// end of snippet$", Pattern.MULTILINE | Pattern.DOTALL);

    private static Map<String, String> sections() {
        Map<String, String> sections = new LinkedHashMap<>();
        sections.put("Caffeine", "CaffeineTest");
        sections.put("Reactor", "ReactorTest");
        sections.put("Resilience4j", "Resilience4jTest");
        sections.put("Failsafe", "FailsafeTest");
        sections.put("HikariCP", "HikariTest");
        sections.put("Lettuce", "LettuceTest");
        sections.put("async-http-client", "AsyncHttpClientTest");
        sections.put("CompletableFuture", "CompletableFutureTest");
        sections.put("ShedLock", "ShedLockTest");
        sections.put("Plain `@Scheduled` once per cluster", "ScheduledOnceTest");
        return sections;
    }

    @Test
    void pageShowsWhatRunsHere() throws IOException {
        Map<String, List<String>> shown = new LinkedHashMap<>();
        for (MatchResult section :
                SECTION.matcher(Files.readString(PAGE)).results().toList()) {
            shown.put(section.group(1), snippets(ON_PAGE, section.group(2)));
        }
        assertThat(shown.keySet()).containsExactlyElementsOf(SECTIONS.keySet());
        for (Map.Entry<String, String> section : SECTIONS.entrySet()) {
            Path test = TESTS.resolve(section.getValue() + ".java");
            assertThat(shown.get(section.getKey()))
                    .as(section.getKey())
                    .isNotEmpty()
                    .isEqualTo(snippets(IN_TEST, Files.readString(test)));
        }
    }

    /** No snippet is outside of a section, and none in a class that has none. */
    @Test
    void noSnippetIsLeftOut() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(snippets(ON_PAGE, page.substring(0, page.indexOf("\n## ")))).isEmpty();
        assertThat(page.lines().filter(line -> line.contains("```")))
                .hasSize(2 * snippets(ON_PAGE, page).size());
        try (Stream<Path> files = Files.list(TESTS)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (Files.readString(file).contains(" // snippet\n")) {
                    assertThat(SECTIONS.values()).contains(name.replace(".java", ""));
                }
            }
        }
    }

    /** The code is formatted for its own depth, so only how it is indented as a whole does not count. */
    private static List<String> snippets(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(found -> found.group(1).stripTrailing().stripIndent())
                .toList();
    }
}
