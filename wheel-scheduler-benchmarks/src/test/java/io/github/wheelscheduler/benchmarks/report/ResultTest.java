package io.github.wheelscheduler.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultTest {

    @Test
    void writtenTextCanBeRead() {
        Result result = Result.empty();
        result.texts().put("figure", "A");
        result.texts().put("failure", "said \"no\" in C:\\dir\nand stopped");
        result.numbers().put("cpuNanos", 12.5);
        result.numbers().put("early", -3.0);
        result.numbers().put("large", 1.25e12);

        Result read = Result.parse(result.toLine());

        assertThat(read.text("figure")).isEqualTo("A");
        assertThat(read.text("failure")).isEqualTo("said \"no\" in C:\\dir and stopped");
        assertThat(read.numbers()).isEqualTo(result.numbers());
        assertThat(read.text("absent")).isEmpty();
    }

    @Test
    void nonObjectIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Result.parse("figure A"))
                .withMessageContaining("was figure A");
    }

    @Test
    void fileGrowsLineByLine(@TempDir Path directory) {
        ResultFile file = new ResultFile(directory.resolve("sub").resolve("results.jsonl"));
        assertThat(file.read()).isEmpty();

        for (String contender : new String[] {"wheel", "hwt"}) {
            Result result = Result.empty();
            result.texts().put("contender", contender);
            file.append(result);
        }

        assertThat(file.read()).extracting(result -> result.text("contender")).containsExactly("wheel", "hwt");
    }
}
