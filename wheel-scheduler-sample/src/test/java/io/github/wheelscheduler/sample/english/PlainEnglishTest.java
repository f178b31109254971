package io.github.wheelscheduler.sample.english;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/**
 * Sentences of pages, Javadoc and messages are plain. {@code target/english.txt} lists the sentences that break a rule.
 */
class PlainEnglishTest {

    @ParameterizedTest
    @CsvFileSource(resources = "sentences.csv", delimiter = '|', numLinesToSkip = 1, quoteCharacter = '~')
    void ruleFindsItsSentences(String rule, String text) {
        List<String> broken = EnglishRule.brokenBy(new Sentence("", 0, text)).stream()
                .map(EnglishRule::name)
                .toList();
        if (rule.equals("NONE")) {
            assertThat(broken).as(text).isEmpty();
        } else {
            assertThat(broken).as(text).contains(rule);
        }
    }

    @Test
    void pageIsReadBySentences() {
        List<String> page = List.of(
                "# What is not read",
                "",
                "First one, wrapped",
                "here. See [the page](a.md), e.g. `code that is left out`!",
                "- an item",
                "```",
                "code",
                "```",
                "| cell | another cell |",
                "|---|---|");
        assertThat(MarkdownText.of("p", page))
                .extracting(Sentence::text)
                .containsExactly(
                        "First one, wrapped here.", "See the page, e.g. X!", "an item", "cell", "another cell");
    }

    @Test
    void sourceIsReadByCommentsAndMessages() throws IOException {
        Path source = Files.createTempFile("Read", ".java");
        Files.writeString(source, """
                /** First {@code one two}. Second.
                 * @param a third part
                 */
                class Read {
                    /** Fourth, see {@link String the text}. */
                    String text(int a) {
                        throw new IllegalStateException("the value must be positive, " + "was " + a + ". Next " + "one has words");
                    }
                    String sql = "select a from b where c";
                }
                """);
        assertThat(JavaText.of(source.getParent(), List.of(source)))
                .extracting(Sentence::text)
                .containsExactlyInAnyOrder(
                        "First X.",
                        "Second.",
                        "third part",
                        "Fourth, see the text.",
                        "the value must be positive, was X.",
                        "Next one has words");
    }

    @Test
    void allSentencesArePlain() throws IOException {
        List<Sentence> sentences = new ArrayList<>();
        for (Path page : SyntaxTrees.files(".md")) {
            sentences.addAll(MarkdownText.of(SyntaxTrees.ROOT.relativize(page).toString(), Files.readAllLines(page)));
        }
        sentences.addAll(JavaText.of(SyntaxTrees.ROOT, SyntaxTrees.sources()));
        Map<EnglishRule, List<String>> broken = new EnumMap<>(EnglishRule.class);
        for (Sentence sentence : sentences) {
            for (EnglishRule rule : EnglishRule.brokenBy(sentence)) {
                broken.computeIfAbsent(rule, unused -> new ArrayList<>()).add(rule + " " + sentence);
            }
        }
        Path report = Files.write(
                Path.of("target", "english.txt"),
                broken.values().stream().flatMap(List::stream).toList());
        broken.forEach((rule, lines) -> System.out.println("> " + rule + ": " + lines.size()));
        assertThat(broken).as("%s of %s sentences", report, sentences.size()).isEmpty();
    }
}
