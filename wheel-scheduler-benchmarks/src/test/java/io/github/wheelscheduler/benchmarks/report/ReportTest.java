package io.github.wheelscheduler.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

    private final List<Result> results = new ArrayList<>();

    private Result add(String java, String contender, double cpuNanos) {
        Result result = Result.empty();
        result.texts().put("figure", "A");
        result.texts().put("variant", "1-thread");
        result.texts().put("contender", contender);
        result.texts().put("java", java);
        result.numbers().put("cpuNanos", cpuNanos);
        results.add(result);
        return result;
    }

    @Test
    void cellHoldsMedianRatioAndSpread() {
        add("25", "wheel", 50);
        add("25", "stpe", 90);
        add("25", "stpe", 110);
        add("25", "stpe", 100);

        String page = MarkdownReport.of(results, Map.of());

        assertThat(page).contains("**1-thread, JDK 25**", "| `wheel` | - | 50 | - | 1 |");
        assertThat(page).contains("| `stpe` | - | 100 (×2) <sub>90–110</sub> | - | 3 |");
        assertThat(page).doesNotContain("Churn: cancel", "JDK 17**");
    }

    @Test
    void unfinishedMeasurementIsALowerBound() {
        add("25", "wheel", 50).numbers().put("isAtLeast", 1.0);

        assertThat(MarkdownReport.of(results, Map.of())).contains("| `wheel` | - | ≥ 50 | - | 1 |");
    }

    @Test
    void variantWithMoreCallersIsShownToo() {
        add("25", "wheel", 50);
        add("25", "wheel", 40).texts().put("variant", "16-threads");

        assertThat(MarkdownReport.of(results, Map.of())).contains("**1-thread, JDK 25**", "**16-threads, JDK 25**");
        assertThat(PlainTable.of(new Summary(results))).contains("(1-thread, JDK 25)", "(16-threads, JDK 25)");
    }

    @Test
    void bothJdksAreShownWhereBothAreMeasured() {
        add("25", "wheel", 50);
        add("17", "wheel", 60);

        assertThat(MarkdownReport.of(results, Map.of())).contains("**1-thread, JDK 25**", "**1-thread, JDK 17**");
    }

    @Test
    void jvmThatFailedIsNotKeptSilent() {
        add("25", "wheel", 50);
        Result failed = add("25", "kafka", 0);
        failed.numbers().clear();
        failed.texts().put("failure", "lost a timer");

        assertThat(MarkdownReport.of(results, Map.of())).contains("| `kafka` | did not get through |");
        assertThat(PlainTable.of(new Summary(results))).contains("kafka", "failed: lost a timer");
    }

    @Test
    void machineAndTheCommandAreNamed() {
        add("25", "wheel", 50);
        Result machine = Result.empty();
        machine.texts().put("machine", "A processor");
        machine.texts().put("cores", "2");
        machine.texts().put("command", "java -jar wheel-scheduler-benchmarks.jar compare --jvms 5");
        results.add(machine);

        assertThat(MarkdownReport.of(results, Map.of())).contains("- A processor, 2 cores", "compare --jvms 5");
    }

    @Test
    void goalsAreSaidToBeMetOrMissed() {
        addChain("wheel/2", 130);
        addChain("stpe/2", 100);
        addChain("wheel-spring/2", 110);
        addChain("tpts/2", 100);

        assertThat(MarkdownReport.of(results, Map.of()))
                .contains("- Goal: `wheel/2` at most 1.20 times `stpe/2`, per step. It is 1.30 times, so it is missed.")
                .contains("`wheel-spring/2` at most 1.20 times `tpts/2`, per step. It is 1.10 times, so it is met.")
                .doesNotContain("Goal: `wheel-virtual`");
        assertThat(PlainTable.of(new Summary(results))).contains("It is 1.30 times, so it is missed.");
    }

    @Test
    void goalMayBeADifference() {
        addStart("wheel-starter", 830);
        addStart("boot", 800);

        assertThat(MarkdownReport.of(results, Map.of()))
                .contains("- Goal: `wheel-starter` at most 20 ms more than `boot`, main to ready. It is 30 ms more,"
                        + " the middle half 830 to 830 beside 800 to 800, so it is missed.");
    }

    private void addStart(String contender, double readyMillis) {
        Result result = add("25", contender, 0);
        result.texts().put("figure", "Q");
        result.texts().put("variant", "plain");
        result.numbers().clear();
        result.numbers().put("readyMillis", readyMillis);
    }

    private void addChain(String contender, double stepNanos) {
        Result result = add("25", contender, 0);
        result.texts().put("figure", "M");
        result.texts().put("variant", "chain");
        result.numbers().clear();
        result.numbers().put("stepNanos", stepNanos);
    }

    @Test
    void plotShowsEveryContender(@TempDir Path directory) throws Exception {
        add("25", "wheel", 50);
        add("25", "stpe", 100);

        Map<String, String> plots = Plots.write(new Summary(results), "25", directory.resolve("benchmarks"));

        assertThat(plots).containsExactly(Map.entry("A", "benchmarks/schedule-and-cancel.svg"));
        assertThat(Files.readString(directory.resolve("benchmarks/schedule-and-cancel.svg")))
                .contains("<svg", ">stpe</text>", ">100</text>");
    }
}
