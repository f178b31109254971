package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.autoconfigure.endpoint.Finding;
import io.github.wheelscheduler.autoconfigure.endpoint.Finding.Severity;
import io.github.wheelscheduler.durable.DurableOverview;
import io.github.wheelscheduler.durable.DurableOverview.NodeShare;
import io.github.wheelscheduler.durable.RecurringTask;
import io.github.wheelscheduler.durable.internal.DurableNode.RunHere;
import io.github.wheelscheduler.durable.internal.Handler;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;
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
            PT4M5S | since 12:03 (4 min 5 s): SQLException
            PT49H  | since 1 January, 11:07 (2 d 1 h): SQLException
            """)
    void databaseThatDoesNotAnswerIsSaid(Duration away, String end) {
        Exception problem = new CannotCreateTransactionException("no", new SQLException("gone"));
        Finding finding = DurableFindings.away(problem, false, away, NOW, ZoneId.of("Europe/Berlin"));
        assertThat(finding.severity()).isEqualTo(Severity.ERROR);
        assertThat(finding.text()).isEqualTo("The database of durable tasks has not answered " + end);
    }

    @Test
    void refusedChangesAreSaid() {
        Exception problem = new CannotCreateTransactionException("no", new SQLException("for reading only", "25006"));
        Finding finding = DurableFindings.away(problem, true, Duration.ofMinutes(7), NOW, ZoneId.of("Europe/Berlin"));
        assertThat(finding.text())
                .startsWith("The database of durable tasks has refused writes since ")
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
                .containsExactly("WARNING durableNodeSilent Node b has sent no heartbeat for 14 s; it counts as dead "
                        + "after 30 s");
    }

    @Test
    void tasksThatWillNotRunByThemselvesAreSaid() {
        assertThat(texts(new DurableOverview(List.of(), 12, 1, DurableOverview.MOST, List.of())))
                .containsExactly(
                        "WARNING durableFailed 1 durable task has failed permanently",
                        "WARNING durableUnreadable At least 10000 durable tasks have been readable for no node so far",
                        "WARNING durableOverdue 12 durable tasks are overdue");
    }

    private static RecurringTask recurring(String id, int failures) {
        String failure = failures == 0 ? null : "java.lang.IllegalStateException: The bank does not answer\n\tat a.B";
        return new RecurringTask(
                id,
                null,
                "fixed-rate PT5S",
                "fixed-rate PT5S",
                false,
                NOW,
                null,
                NOW,
                failures,
                failures == 0 ? null : NOW,
                failure);
    }

    @Test
    void recurringTaskThatFailsIsSaid() {
        assertThat(DurableFindings.failing(List.of(recurring("accounts.close", 1))))
                .isEqualTo(new Finding(
                        "durableFailing",
                        Severity.WARNING,
                        "The last run of accounts.close failed with IllegalStateException: The bank does not answer"));
        assertThat(DurableFindings.failing(List.of(recurring("a", 0), recurring("b", 1), recurring("c", 10))))
                .isEqualTo(new Finding(
                        "durableFailing",
                        Severity.ERROR,
                        "2 durable tasks are failing, c most often (10 times in a row), last with "
                                + "IllegalStateException: The bank does not answer"));
        assertThat(DurableFindings.failing(List.of(recurring("a", 0)))).isNull();
    }

    @Test
    void handlersThatNoNodeHasAreNamed() {
        assertThat(texts(new DurableOverview(List.of(), 0, 0, 0, List.of("male"))))
                .containsExactly(
                        "WARNING durableHandlerUnknown Durable tasks are waiting for the handler 'male', which no node "
                                + "has");
        assertThat(texts(new DurableOverview(List.of(), 0, 0, 0, List.of("a", "b", "c", "d", "e", "f"))))
                .containsExactly(
                        "WARNING durableHandlerUnknown Durable tasks are waiting for handlers that no node has: "
                                + "'a', 'b', 'c', 'd', 'e' and 1 more");
    }

    private static RunHere run(String name, String id, String handler, Duration length) {
        return new RunHere(name, id, handler, length.toNanos());
    }

    private static String longRun(@Nullable Duration limit, List<RecurringTask> recurring, RunHere... runs) {
        Finding finding = DurableFindings.longRun(List.of(runs), recurring, limit, NOW);
        return finding == null ? "nothing" : finding.severity() + " " + finding.text();
    }

    @Test
    void runOfAMinuteIsANote() {
        RunHere invoice = run("invoice", "4711", "invoice", Duration.ofMinutes(3));
        assertThat(longRun(null, List.of(), run("invoice", "4711", "invoice", Duration.ofSeconds(59))))
                .isEqualTo("nothing");
        assertThat(longRun(null, List.of(), invoice))
                .isEqualTo("INFO Durable task invoice 4711 has been running on this node for 3 min; "
                        + "a thread dump may show the reason");
        assertThat(longRun(null, List.of(), invoice, run("letter", "1", "letter", Duration.ofHours(2))))
                .isEqualTo("INFO 2 durable tasks are still running here: letter 1 has been running for 2 h; "
                        + "a thread dump may show the reason");
    }

    @Test
    void runPastTheLimitIsAWarning() {
        RunHere invoice = run("invoice", "4711", "invoice", Duration.ofSeconds(30));
        assertThat(longRun(Duration.ofSeconds(20), List.of(), invoice))
                .isEqualTo("WARNING Durable task invoice 4711 has been running on this node for 30 s, "
                        + "longer than the limit of 20 s; a thread dump may show the reason");
    }

    @Test
    void runPastItsIntervalIsAWarning() {
        RecurringTask closing = recurring("closing", "fixed-rate PT30M", NOW.minusSeconds(3600));
        RunHere run = run(Handler.RECURRING, "closing", Handler.RECURRING + "closing", Duration.ofMinutes(60));
        RunHere longer = run("letter", "1", "letter", Duration.ofHours(2));
        assertThat(longRun(null, List.of(closing), run, longer))
                .isEqualTo("WARNING 2 durable tasks are still running here: closing has been running for 1 h, "
                        + "longer than its interval; a thread dump may show the reason");
        for (RecurringTask calm : List.of(
                recurring("closing", "fixed-rate PT30M", NOW.minusSeconds(1200)),
                recurring("closing", "fixed-delay PT30M", NOW.minusSeconds(3600)),
                recurring("other", "fixed-rate PT30M", NOW.minusSeconds(3600)))) {
            assertThat(longRun(null, List.of(calm), run)).startsWith("INFO Durable task closing has been running");
        }
    }

    @Test
    void intervalOfARecurrenceOfAUsersIsUnknown() {
        RecurringTask task = recurring("tides", "high tide at Dover", NOW.minusSeconds(3600));
        assertThat(longRun(
                        null,
                        List.of(task),
                        run(Handler.RECURRING, "tides", Handler.RECURRING + "tides", Duration.ofMinutes(60))))
                .startsWith("INFO Durable task tides has been running on this node for 1 h;");
    }

    private static RecurringTask recurring(String id, String schedule, Instant dueAt) {
        return new RecurringTask(id, null, schedule, schedule, false, dueAt, "here", null, 0, null, null);
    }
}
