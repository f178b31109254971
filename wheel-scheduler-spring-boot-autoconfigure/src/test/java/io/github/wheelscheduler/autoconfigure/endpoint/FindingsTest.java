package io.github.wheelscheduler.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.endpoint.Finding.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanCreationException;

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

    @Test
    void sourcesThatFailAreNamedInOneFinding() {
        FindingSource broken = now -> {
            throw new NoClassDefFoundError("of/a/Driver");
        };
        FindingSource other = new Refusing();
        List<Finding> found = new Findings(() -> Stream.of(broken, other), null).of(List.of(), Instant.EPOCH);
        assertThat(found).singleElement().satisfies(finding -> {
            assertThat(finding.rule()).isEqualTo("findings");
            assertThat(finding.text())
                    .startsWith("Problems of " + FindingsTest.class.getName() + ".lambda and "
                            + Refusing.class.getName() + " are unknown: the check failed with java.lang.");
        });
    }

    private static final class Refusing implements FindingSource {

        @Override
        public List<Finding> findings(Instant now) {
            throw new IllegalStateException("secret");
        }
    }

    @Test
    void sourceThatCannotBeMadeIsAFinding() {
        Findings findings = new Findings(
                () -> {
                    throw new BeanCreationException("disk", "secret");
                },
                null);
        assertThat(findings.of(List.of(), Instant.EPOCH)).singleElement().satisfies(finding -> {
            assertThat(finding.rule()).isEqualTo("findings");
            assertThat(finding.text()).endsWith(BeanCreationException.class.getName());
        });
    }

    @Test
    void countsThatAreNotReadAreForgotten() {
        AtomicLong nanos = new AtomicLong();
        CountRises rises = new CountRises(nanos::get);
        for (int i = 0; i < 1_000; i++) {
            assertThat(rises.note("gone " + i, i).by()).isZero();
        }
        assertThat(rises.size()).isEqualTo(1_000);
        nanos.addAndGet(Duration.ofMinutes(6).toNanos());
        assertThat(rises.note("new", 1).by()).isZero();
        assertThat(rises.size()).isEqualTo(1);
    }
}
