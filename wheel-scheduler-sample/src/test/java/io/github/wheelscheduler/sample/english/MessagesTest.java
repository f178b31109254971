package io.github.wheelscheduler.sample.english;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.sample.english.LogMessages.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/troubleshooting.md} explains each warning and error of the sources, which are listed in
 * {@code target/messages.txt} with all other messages.
 */
class MessagesTest {

    private static final Pattern ROW = Pattern.compile("^\\| `([^`]+)` \\|(.+)\\|(.+)\\|(.+)\\|$");

    private static Set<Message> messages;

    /** The messages that the page explains. */
    private static List<String> rows;

    @BeforeAll
    static void read() throws IOException {
        messages = LogMessages.of(SyntaxTrees.ROOT, SyntaxTrees.sources());
        Path unused = Files.write(
                Path.of("target", "messages.txt"),
                messages.stream().map(Message::toString).toList());
        rows = Files.readAllLines(SyntaxTrees.ROOT.resolve("docs/troubleshooting.md")).stream()
                .flatMap(line -> ROW.matcher(line).results())
                .filter(row -> !row.group(2).isBlank()
                        && !row.group(3).isBlank()
                        && !row.group(4).isBlank())
                .map(row -> row.group(1))
                .toList();
    }

    @Test
    void warningHasARowOnThePage() {
        assertThat(warnings())
                .hasSizeGreaterThan(90)
                .allMatch(message -> rows.stream().anyMatch(row -> explains(row, message)));
    }

    @Test
    void rowExplainsAWarning() {
        assertThat(rows)
                .doesNotHaveDuplicates()
                .allMatch(row -> warnings().anyMatch(message -> explains(row, message)));
    }

    @Test
    void messageIsFollowedThroughNamesOfItsFile() throws IOException {
        Path directory = Files.createTempDirectory("messages");
        Path source = Files.writeString(
                Files.createDirectory(directory.resolve("module")).resolve("Said.java"), """
                class Said {
                    private static final String END = "; it continues";
                    private static final String NAME = "a.b";
                    void plain(int n) {
                        logger.warn("One of " + n + " has failed" + END);
                        LOG.log(Level.ERROR, n > 1 ? "Several of them failed" : "One of them failed");
                        warn("Too few of {0}, had {1}", n, 2);
                        String text = "The property " + NAME + " is unknown";
                        logger.info(text);
                        throw new IllegalStateException("n must be positive, was " + n);
                    }
                    void warn(String text, Object... values) {
                        LOG.log(Level.WARNING, text, values);
                    }
                    void all() {
                        each(logger::warn);
                    }
                    void each(Consumer<String> log) {
                        log.accept("Each of them is named");
                    }
                    void action() {
                        throw new UnusableSetupException("a is set, but b is not", "Set " + Names.NAME + " as well.");
                    }
                    void other(String text) {
                        logger.debug(text);
                        print("this reaches no log at all");
                    }
                }
                """);
        Path names = Files.writeString(source.resolveSibling("Names.java"), """
                class Names {
                    static final String NAME = "the.b";
                }
                """);
        assertThat(LogMessages.of(directory, List.of(source, names)).stream().map(Message::toString))
                .containsExactly(
                        "module ERROR One of them failed",
                        "module ERROR Several of them failed",
                        "module EXCEPTION a is set, but b is not. Action: Set the.b as well.",
                        "module EXCEPTION n must be positive, was X",
                        "module INFO The property a.b is unknown",
                        "module WARNING Each of them is named",
                        "module WARNING One of X has failed; it continues",
                        "module WARNING Too few of X, had X");
    }

    private static Stream<Message> warnings() {
        return messages.stream().filter(Message::isWarning);
    }

    /**
     * Whether a row has that text, whose values are an X and whose varying parts an ellipsis; a scheduler's name may
     * precede it.
     */
    private static boolean explains(String row, Message message) {
        String pattern = Stream.of(row.split("…", -1))
                .map(part ->
                        Stream.of(part.split("\\bX\\b", -1)).map(Pattern::quote).collect(Collectors.joining(".+")))
                .collect(Collectors.joining(".*"));
        return message.text().matches("X?" + pattern);
    }
}
