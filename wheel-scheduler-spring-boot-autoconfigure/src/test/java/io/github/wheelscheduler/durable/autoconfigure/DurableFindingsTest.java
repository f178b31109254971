package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.endpoint.Finding;
import io.github.wheelscheduler.autoconfigure.endpoint.Finding.Severity;
import io.github.wheelscheduler.durable.DurableOverview;
import io.github.wheelscheduler.durable.DurableOverview.NodeShare;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.transaction.CannotCreateTransactionException;

/** What is said of durable tasks. */
class DurableFindingsTest {

    private static final Instant NOW = Instant.parse("2030-01-03T11:07:09Z");

    private static List<String> texts(DurableOverview overview) {
        return DurableFindings.of(overview, Duration.ofSeconds(3), Duration.ofSeconds(30)).stream()
                .map(finding -> finding.severity() + " " + finding.rule() + " " + finding.text())
                .toList();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            PT4M5S | since 12:03, for 4 min 5 s: SQLException
            PT49H  | since 1 January, 11:07, for 2 d 1 h: SQLException
            """)
    void databaseThatDoesNotAnswerIsSaid(Duration away, String end) {
        Exception problem = new CannotCreateTransactionException("no", new SQLException("gone"));
        Finding finding = DurableFindings.away(problem, false, away, NOW, ZoneId.of("Europe/Berlin"));
        assertThat(finding.severity()).isEqualTo(Severity.ERROR);
        assertThat(finding.text()).isEqualTo("the database of durable tasks does not answer " + end);
    }

    @Test
    void refusedChangesAreSaid() {
        Exception problem = new CannotCreateTransactionException("no", new SQLException("for reading only", "25006"));
        Finding finding = DurableFindings.away(problem, true, Duration.ofMinutes(7), NOW, ZoneId.of("Europe/Berlin"));
        assertThat(finding.text())
                .startsWith("the database of durable tasks answers, but refuses changes since ")
                .endsWith(": SQLException");
    }

    @Test
    void nothingIsSaidWhereAllIsWell() {
        List<NodeShare> nodes = List.of(new NodeShare("a", 3, NOW), new NodeShare("b", 0, NOW.minusSeconds(8)));
        assertThat(texts(new DurableOverview(nodes, 0, 0, 0, List.of()))).isEmpty();
        assertThat(texts(new DurableOverview(List.of(), 0, 0, 0, List.of()))).isEmpty();
    }

    @Test
    void nodeThatIsNotHeardOfIsSaid() {
        List<NodeShare> nodes = List.of(new NodeShare("a", 3, NOW), new NodeShare("b", 7, NOW.minusSeconds(14)));
        assertThat(texts(new DurableOverview(nodes, 0, 0, 0, List.of())))
                .containsExactly(
                        "WARNING durableNodeSilent the node b has not been heard of for 14 s, and is taken for "
                                + "dead after 30 s");
    }

    @Test
    void tasksThatWillNotRunByThemselvesAreSaid() {
        assertThat(texts(new DurableOverview(List.of(), 12, 1, DurableOverview.MOST, List.of())))
                .containsExactly(
                        "WARNING durableFailed 1 durable task has failed for good",
                        "WARNING durableUnreadable at least 10000 durable tasks are read by no node so far",
                        "WARNING durableOverdue 12 durable tasks are overdue");
    }

    @Test
    void handlersThatNoNodeHasAreNamed() {
        assertThat(texts(new DurableOverview(List.of(), 0, 0, 0, List.of("male"))))
                .containsExactly(
                        "WARNING durableHandlerUnknown durable tasks wait for the handler 'male', which no node has");
        assertThat(texts(new DurableOverview(List.of(), 0, 0, 0, List.of("a", "b", "c", "d", "e", "f"))))
                .containsExactly("WARNING durableHandlerUnknown durable tasks wait for handlers that no node has: "
                        + "'a', 'b', 'c', 'd', 'e' and 1 more");
    }
}
