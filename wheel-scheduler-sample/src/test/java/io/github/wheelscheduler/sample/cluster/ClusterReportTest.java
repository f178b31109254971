package io.github.wheelscheduler.sample.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is told of runs. */
class ClusterReportTest {

    private static final Instant FIRST = Instant.parse("2000-01-01T12:00:00Z");
    private static final List<String> NODES = List.of("n1", "n2", "n3");

    private final List<Ledger.Run> runs = new ArrayList<>();
    private final List<Ledger.Tick> ticks = new ArrayList<>();

    @Test
    void runsAreToldByNodeWithHowLateTheyWere() {
        ran("a", "n1", 0, 2);
        ran("b", "n2", 10, 4);
        ran("c", "n2", 20, 6);
        ran("d", "n2", 30, 8);
        assertThat(report(4, Set.of()))
                .containsPattern(" +n1, killed +n2 +n3, new +all\n")
                .containsPattern("runs +1 +3 +- +4\n")
                .containsPattern("half of them late by at most +2.0 ms +6.0 ms +- +4.0 ms\n")
                .containsPattern("99 of 100 by at most +2.0 ms +8.0 ms +- +8.0 ms\n")
                .contains(
                        "n1 was killed 1 s after the first task was due. It had claimed 0 tasks, and begun to run 0 of "
                                + "them.")
                .doesNotContain("after the kill, half")
                .endsWith("scheduled 4, ran 4, missing 0, ran twice 0\n");
    }

    @Test
    void rowsClaimedByTheKilledNodeAreToldApart() {
        ran("a", "n1", 0, 2);
        ran("b", "n1", 998, 1);
        ran("b", "n2", 998, 6_502);
        ran("c", "n3", 1_500, 7_500);
        assertThat(report(3, Set.of("b", "c")))
                .containsPattern("runs +2 +1 +1 +4\n")
                .containsPattern("half of them late by at most +2.0 ms +- +- +2.0 ms\n")
                .containsPattern("taken over from n1 +- +1 +1 +2\n")
                .contains("It had claimed 2 tasks, and begun to run 1 of them.")
                .contains("The others ran these 6.5 s to 8 s after the kill, half of them by 6.5 s.")
                .endsWith("scheduled 3, ran 3, missing 0, ran twice 1, of which 1 because of the kill\n");
    }

    @Test
    void missingAndDoubledRunsAreReported() {
        ran("a", "n1", 0, 2);
        ran("a", "n2", 0, 3);
        assertThat(report(5, Set.of()))
                .endsWith("scheduled 5, ran 1, missing 4, ran twice 1, of which 0 because of the kill\n");
    }

    @Test
    void longestGapOfTheRecurringTaskIsReported() {
        for (long millis : new long[] {0, 1_000, 2_000, 9_200, 10_000}) {
            ticks.add(new Ledger.Tick(millis < 2_000 ? "n1" : "n2", FIRST.plusMillis(millis)));
        }
        assertThat(report(0, Set.of()))
                .containsPattern("runs of the one every second +2 +3 +- +5\n")
                .contains("to the next was 7.2 s.");
    }

    private void ran(String task, String node, long dueMillis, long lateMillis) {
        runs.add(new Ledger.Run(
                task,
                node,
                FIRST.plusMillis(dueMillis),
                FIRST.plusMillis(dueMillis).plusMillis(lateMillis)));
    }

    private String report(int scheduled, Set<String> orphans) {
        runs.sort(Comparator.comparing(Ledger.Run::startedAt));
        ClusterReport.Kill kill = new ClusterReport.Kill("n1", FIRST, FIRST.plusSeconds(1), orphans);
        return new ClusterReport(NODES, kill, runs, ticks).of(scheduled).replace(System.lineSeparator(), "\n");
    }
}
