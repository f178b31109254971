package io.github.wheelscheduler.sample.english;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lines of sources have at most 120 characters. The formatter breaks code, but neither comments nor texts. */
class LineLengthTest {

    private static final int LONGEST = 120;

    @Test
    void sourceHasNoLongLines() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path source : SyntaxTrees.files(".java")) {
            String name = SyntaxTrees.ROOT.relativize(source).toString();
            longLines(Files.readAllLines(source)).forEach(line -> found.add(name + ":" + line));
        }
        assertThat(found).isEmpty();
    }

    @Test
    void lineOfATextBlockAndAnImportMayBeLong() {
        String words = " word".repeat(30);
        assertThat(longLines(List.of(
                        "import static a.b;" + words,
                        "String data = \"\"\"",
                        "    {1, 2}," + words,
                        "    \"\"\";",
                        "// comment" + words,
                        "// comment")))
                .containsExactly("5");
    }

    /**
     * Returns the numbers of lines that are too long. A text block is data, which a break would change or hide, and
     * nothing breaks an import.
     */
    private static List<String> longLines(List<String> lines) {
        List<String> numbers = new ArrayList<>();
        boolean isInBlock = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            boolean wasInBlock = isInBlock;
            isInBlock ^= (line.split("\"\"\"", -1).length - 1) % 2 == 1;
            if (line.length() > LONGEST && !wasInBlock && !line.startsWith("import ")) {
                numbers.add(String.valueOf(i + 1));
            }
        }
        return numbers;
    }
}
