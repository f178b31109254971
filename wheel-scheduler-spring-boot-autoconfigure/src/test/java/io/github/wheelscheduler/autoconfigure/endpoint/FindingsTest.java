package io.github.wheelscheduler.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.endpoint.Finding.Severity;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What other sources find is said beside what is found of schedulers. */
class FindingsTest {

    @Test
    void sourceThatFailsIsSaidAndTheOthersAreHeard() {
        FindingSource broken = now -> {
            throw new IllegalStateException("secret");
        };
        FindingSource well = now -> List.of(new Finding("disk", Severity.ERROR, "the disk is full"));
        List<Finding> found = new Findings(() -> Stream.of(broken, well), null).of(List.of(), Instant.EPOCH);
        assertThat(found).extracting(Finding::rule).containsExactly("disk", "findings");
        assertThat(found.get(1).severity()).isEqualTo(Severity.WARNING);
        assertThat(found.get(1).text())
                .isEqualTo("Problems of " + FindingsTest.class.getName()
                        + ".lambda are unknown: the check failed with java.lang.IllegalStateException");
    }
}
