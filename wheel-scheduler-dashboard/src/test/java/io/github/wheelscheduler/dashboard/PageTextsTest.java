package io.github.wheelscheduler.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The sentences of the page are those of a table, which says when each is shown and what tests it. */
class PageTextsTest {

    private static final Path FOLDER = Path.of("src/main/resources/io/github/wheelscheduler/dashboard/page");
    private static final Path TABLE = Path.of("src/test/resources/page-texts.txt");
    private static final Path TESTS =
            Path.of("../wheel-scheduler-dashboard-tests/src/test/java/io/github/wheelscheduler/browser");

    /** Labels, tooltips and hints, most of them; the number may only fall. */
    private static final int MOST_UNTESTED = 80;

    private static final Pattern WORD = Pattern.compile("[A-Za-z][a-z']+");
    private static final int LEAST_WORDS = 3;

    /** Markup, selectors and fonts are no sentences; settings are. */
    private static final Pattern CODE = Pattern.compile("[<>=\\[#]|^\\.|^\\(prefers|^11px");

    private static final Pattern SETTING = Pattern.compile("access=unrestricted|include=|<endpoint>");

    @Test
    void tableHasTheSentencesOfThePage() throws IOException {
        List<String> sentences = new ArrayList<>();
        try (Stream<Path> listed = Files.list(FOLDER)) {
            for (Path file : listed.sorted().toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith(".js") && !name.startsWith("uplot")) {
                    new Literals(Files.readString(file))
                            .all().stream()
                                    .filter(PageTextsTest::isSentence)
                                    .map(text -> name + " | " + text)
                                    .distinct()
                                    .forEach(sentences::add);
                }
            }
        }
        assertThat(rows().stream().map(row -> row.get(0) + " | " + row.get(1)))
                .containsExactlyInAnyOrderElementsOf(sentences);
    }

    @Test
    void testsOfTheTableAreThere() throws IOException {
        int untested = 0;
        for (List<String> row : rows()) {
            assertThat(row).hasSize(4).noneMatch(String::isBlank);
            if (row.get(3).equals("-")) {
                untested++;
                continue;
            }
            String[] test = row.get(3).split("\\.", -1);
            assertThat(Files.readString(TESTS.resolve(test[0] + ".java")))
                    .as(row.get(3))
                    .contains("void " + test[1] + "(");
        }
        assertThat(untested).isLessThanOrEqualTo(MOST_UNTESTED);
    }

    private static List<List<String>> rows() throws IOException {
        return Files.readAllLines(TABLE).stream()
                .filter(line -> !line.startsWith("#"))
                .map(line -> List.of(line.split(" \\| ", -1)))
                .toList();
    }

    private static boolean isSentence(String text) {
        return WORD.matcher(text.replace("{}", " ")).results().count() >= LEAST_WORDS
                && text.contains(" ")
                && !CODE.matcher(SETTING.matcher(text).replaceAll("")).find();
    }

    /** The string literals of a script, joined where they are concatenated; {@code {}} is what a template puts in. */
    private static final class Literals {

        private static final Pattern PLUS = Pattern.compile("\\s*\\+\\s*");
        private static final Pattern BEFORE_REGEX = Pattern.compile("[(,=:\\[!&|?{};\\n]\\s*$");

        private final String source;
        private final List<String> found = new ArrayList<>();
        private final List<String> putIn = new ArrayList<>();
        private int lastEnd = -1;
        private int at;

        Literals(String source) {
            this.source = source;
        }

        List<String> all() {
            while (at < source.length()) {
                if (source.startsWith("//", at)) {
                    at = source.indexOf('\n', at);
                } else if (source.startsWith("/*", at)) {
                    at = source.indexOf("*/", at) + 2;
                } else {
                    char next = source.charAt(at);
                    if (next == '\'' || next == '`') {
                        int begin = at++;
                        String text = next == '\'' ? quoted() : template();
                        add(begin, text);
                    } else if (next == '/' && isRegexNext()) {
                        skipRegex();
                    } else {
                        at++;
                    }
                }
            }
            found.addAll(putIn);
            return found;
        }

        private void add(int begin, String text) {
            boolean isMore = lastEnd >= 0
                    && PLUS.matcher(source.substring(lastEnd, begin)).matches();
            if (isMore) {
                int last = found.size() - 1;
                found.set(last, found.get(last) + text);
            } else {
                found.add(text);
            }
            lastEnd = at;
        }

        private String quoted() {
            StringBuilder text = new StringBuilder();
            while (source.charAt(at) != '\'') {
                if (source.charAt(at) == '\\') {
                    at++;
                }
                text.append(source.charAt(at++));
            }
            at++;
            return text.toString();
        }

        private String template() {
            StringBuilder text = new StringBuilder();
            List<String> inner = new ArrayList<>();
            while (source.charAt(at) != '`') {
                if (source.startsWith("${", at)) {
                    at += 2;
                    skipCode(inner);
                    text.append("{}");
                } else {
                    text.append(source.charAt(at++));
                }
            }
            at++;
            putIn.addAll(inner);
            return text.toString();
        }

        /** Skips to the end of what is put in, and adds the literals in it. */
        private void skipCode(List<String> inner) {
            int depth = 1;
            while (depth > 0) {
                char next = source.charAt(at++);
                if (next == '\'') {
                    inner.add(quoted());
                } else if (next == '`') {
                    inner.add(template());
                } else {
                    depth += next == '{' ? 1 : next == '}' ? -1 : 0;
                }
            }
        }

        private boolean isRegexNext() {
            return BEFORE_REGEX
                    .matcher(source.substring(Math.max(0, at - 20), at))
                    .find();
        }

        private void skipRegex() {
            boolean isInClass = false;
            at++;
            while (source.charAt(at) != '/' || isInClass) {
                char next = source.charAt(at++);
                if (next == '\\') {
                    at++;
                } else if (next == '[' || next == ']') {
                    isInClass = next == '[';
                }
            }
            at++;
        }
    }
}
