package io.github.wheelscheduler.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * A file of the folder {@code api}: what programs may rely on, one line each, in alphabetical order. What the code has
 * must equal it, unless the system property {@code wheel.api.accept} is {@code true}: then the file is written.
 */
public final class AcceptedText {

    private static final Path FOLDER = Path.of("../api");
    private static final String ACCEPT = "wheel.api.accept";

    private final Path file;

    /** Names the text; the file need not exist. */
    public AcceptedText(String name) {
        this.file = FOLDER.resolve(name + ".txt");
    }

    /** Compares, or accepts. A text without a line has no file. */
    public void requireEqual(Collection<String> lines) throws IOException {
        List<String> actual = List.copyOf(new TreeSet<>(lines));
        if (Boolean.getBoolean(ACCEPT)) {
            write(actual);
        }
        List<String> accepted = Files.exists(file) ? Files.readAllLines(file) : List.of();
        assertThat(difference(accepted, actual))
                .as(() -> "What programs may rely on has changed and is not what " + file.normalize()
                        + " says: - is gone, + is new. If that is meant, say so in CHANGELOG.md, and in UPGRADING.md "
                        + "how programs follow; then accept it with\n\n    " + command() + "\n")
                .isEmpty();
    }

    private static String command() {
        return "mvn -B test -Dtest='ApiTest,ConfigurationMetadataTest' -Dsurefire.failIfNoSpecifiedTests=false -D"
                + ACCEPT + "=true";
    }

    private void write(List<String> lines) throws IOException {
        if (lines.isEmpty()) {
            Files.deleteIfExists(file);
        } else {
            Files.createDirectories(FOLDER);
            Files.writeString(file, String.join("\n", lines) + "\n");
        }
    }

    private static List<String> difference(List<String> accepted, List<String> actual) {
        List<String> difference = new ArrayList<>();
        accepted.stream().filter(line -> !actual.contains(line)).forEach(line -> difference.add("- " + line));
        actual.stream().filter(line -> !accepted.contains(line)).forEach(line -> difference.add("+ " + line));
        return difference;
    }
}
