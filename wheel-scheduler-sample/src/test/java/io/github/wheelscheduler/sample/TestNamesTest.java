package io.github.wheelscheduler.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The name of a test is short and begins with its subject. */
class TestNamesTest {

    private static final int MOST_CHARACTERS = 50;

    private static final Pattern TEST = Pattern.compile(
            "@(?:Test|ParameterizedTest|RepeatedTest|ArchTest)\\b[^;{]*?\\b(?:void|ArchRule)\\s+(\\w+)\\b");

    /** Articles, free relatives, pronouns, and prepositions. */
    private static final Pattern NO_SUBJECT =
            Pattern.compile("(?:a|an|the|(?:what|who)(?:ever)?|whose|which|how|however|there|it|its|after|as|at|before|"
                    + "behind|beside|between|by|during|for|from|if|in|of|on|to|under|until|unless|when|where|"
                    + "while|with|"
                    + "without)[A-Z]\\w*");

    private static boolean isShortAndBeginsWithItsSubject(String name) {
        return name.length() <= MOST_CHARACTERS && !NO_SUBJECT.matcher(name).matches();
    }

    private static List<String> namesIn(String source) {
        List<String> names = new ArrayList<>();
        Matcher test = TEST.matcher(source);
        while (test.find()) {
            names.add(test.group(1));
        }
        return names;
    }

    @Test
    void nameIsShortAndBeginsWithItsSubject() throws IOException {
        List<String> names = new ArrayList<>();
        List<String> wrong = new ArrayList<>();
        for (Path source : PackagesTest.sources()) {
            if (source.toString().contains("/src/test/")) {
                for (String name : namesIn(Files.readString(source))) {
                    names.add(name);
                    if (!isShortAndBeginsWithItsSubject(name)) {
                        wrong.add(source.getFileName() + ": " + name);
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(names).hasSizeGreaterThan(2_500);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "aTaskRuns",
                "theTaskRuns",
                "whatIsRefusedDoesNotRun",
                "afterShutdownNothingRuns",
                "itRuns",
                "taskWhoseNameIsMuchTooLongForAnyoneToReadItAtOnceRuns"
            })
    void nameWithoutASubjectOrTooLongIsFound(String name) {
        assertThat(namesIn("    @Test\n    void " + name + "() throws Exception {"))
                .containsExactly(name);
        assertThat(isShortAndBeginsWithItsSubject(name)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"taskRuns", "nothingRunsAfterAShutdown", "asynchronousTaskRuns", "itemIsFound", "onlyRunEnds"})
    void nameThatBeginsWithItsSubjectIsLeft(String name) {
        assertThat(isShortAndBeginsWithItsSubject(name)).isTrue();
    }
}
