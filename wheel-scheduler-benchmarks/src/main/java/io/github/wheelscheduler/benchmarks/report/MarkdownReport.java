package io.github.wheelscheduler.benchmarks.report;

import io.github.wheelscheduler.benchmarks.figure.Figure;
import io.github.wheelscheduler.benchmarks.figure.Figures;
import io.github.wheelscheduler.benchmarks.figure.Metric;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The page for readers: how it was measured, on what, and a table for each variant. */
public final class MarkdownReport {

    private static final Map<String, String> CONTENDERS = Contestants.DESCRIPTIONS;

    private final List<Result> results;
    private final Summary summary;
    private final Map<String, String> plots;
    private final StringBuilder text = new StringBuilder();

    private MarkdownReport(List<Result> results, Map<String, String> plots) {
        this.results = results;
        this.summary = new Summary(results);
        this.plots = plots;
    }

    /**
     * Returns the page.
     *
     * @param plots names of figures, with the path of each one's plot as seen from the page
     */
    public static String of(List<Result> results, Map<String, String> plots) {
        return new MarkdownReport(results, plots).write();
    }

    private String write() {
        line("# Benchmarks");
        line("");
        line("Ours beside its peers, each in JVMs of its own. This page is written by the module");
        line("`wheel-scheduler-benchmarks`; do not edit it.");
        writeMachine();
        writeReading();
        for (Figure figure : Figures.ALL) {
            writeFigure(figure);
        }
        writeOmissions();
        return text.toString();
    }

    private void writeMachine() {
        line("");
        line("## Where and how");
        line("");
        Set<String> machines = new LinkedHashSet<>();
        Set<String> commands = new LinkedHashSet<>();
        for (Result result : results) {
            if (!result.text("machine").isEmpty()) {
                machines.add(String.format(
                        Locale.ROOT,
                        "%s, %s cores, %s, %s; JDK %s, default options but for the one below; %s",
                        result.text("machine"),
                        result.text("cores"),
                        result.text("memory"),
                        result.text("os"),
                        result.text("jdk"),
                        result.text("date")));
                commands.add(result.text("command"));
            }
        }
        machines.forEach(machine -> line("- " + machine));
        line("");
        line("```");
        line("mvn -B -q -pl wheel-scheduler-benchmarks -am package -Dmaven.test.skip");
        commands.forEach(this::line);
        line("java -jar wheel-scheduler-benchmarks/target/wheel-scheduler-benchmarks.jar report");
        line("```");
    }

    private void writeReading() {
        line("");
        line("A cell holds the median over JVMs, then how many times ours that is, then the least and the greatest. "
                + "CPU is");
        line("that of the whole process, so work that is moved to another thread still counts. Absolute figures are "
                + "this");
        line("machine's; ratios travel better.");
        line("");
        line("Every JVM runs with `-Xms` set to a 64th of the memory, the heap that it starts with anyway. Without "
                + "it, a");
        line("collection that the figures ask for gives almost all of the heap back where little is alive, and what "
                + "follows");
        line("measures how the heap grows again.");
        line("");
        line("| name | what it is |");
        line("|---|---|");
        CONTENDERS.forEach((name, description) -> line("| `" + name + "` | " + description + " |"));
    }

    private void writeFigure(Figure figure) {
        boolean isMeasured = summary.javas().stream()
                .anyMatch(java ->
                        summary.variants(figure).stream().anyMatch(variant -> summary.has(java, figure, variant)));
        if (!isMeasured) {
            return;
        }
        line("");
        line("## " + figure.name() + ". " + figure.title());
        line("");
        line(figure.method());
        String plot = plots.get(figure.name());
        if (plot != null) {
            line("");
            line("![" + figure.title() + "](" + plot + ")");
        }
        for (String variant : summary.variants(figure)) {
            for (String java : summary.javas()) {
                if (summary.has(java, figure, variant)) {
                    writeTable(figure, variant, java);
                }
            }
        }
    }

    private void writeTable(Figure figure, String variant, String java) {
        line("");
        line("**" + variant + ", JDK " + java + "**");
        line("");
        StringBuilder head = new StringBuilder("| |");
        StringBuilder rule = new StringBuilder("|---|");
        for (Metric metric : figure.metrics(variant)) {
            head.append(' ').append(metric.label());
            head.append(metric.unit().isEmpty() ? "" : " (" + metric.unit() + ")")
                    .append(" |");
            rule.append("---:|");
        }
        line(head.append(" JVMs |").toString());
        line(rule.append("---:|").toString());
        for (String contender : figure.contenders(variant)) {
            writeRow(figure, variant, java, contender);
        }
        List<String> goals = Goals.lines(summary, java, figure, variant);
        if (!goals.isEmpty()) {
            line("");
            goals.forEach(goal -> line("- " + goal));
        }
    }

    private void writeRow(Figure figure, String variant, String java, String contender) {
        int jvms = summary.jvms(java, figure, variant, contender);
        List<String> failures = summary.failures(java, figure, variant, contender);
        if (jvms > 0) {
            StringBuilder row = new StringBuilder("| `" + contender + "` |");
            for (Metric metric : figure.metrics(variant)) {
                row.append(' ')
                        .append(cell(figure, variant, java, contender, metric))
                        .append(" |");
            }
            line(row.append(' ').append(jvms).append(" |").toString());
        } else if (!failures.isEmpty()) {
            line("| `" + contender + "` | did not get through |"
                    + " |".repeat(figure.metrics(variant).size()));
        }
    }

    private String cell(Figure figure, String variant, String java, String contender, Metric metric) {
        Spread spread = summary.spread(java, figure, variant, contender, metric.key());
        if (spread == null) {
            return "-";
        }
        Spread atLeast = summary.spread(java, figure, variant, contender, Metric.AT_LEAST);
        StringBuilder cell = new StringBuilder(atLeast != null && atLeast.max() > 0 ? "≥ " : "");
        cell.append(Numbers.format(spread.median()));
        String first = figure.contenders(variant).get(0);
        Spread ours = summary.spread(java, figure, variant, first, metric.key());
        if (metric.isCompared() && !contender.equals(first) && ours != null && ours.median() > 0) {
            cell.append(" (×")
                    .append(Numbers.format(spread.median() / ours.median()))
                    .append(')');
        }
        if (spread.min() < spread.max()) {
            cell.append(" <sub>")
                    .append(Numbers.format(spread.min()))
                    .append("–")
                    .append(Numbers.format(spread.max()))
                    .append("</sub>");
        }
        return cell.toString();
    }

    private void writeOmissions() {
        line("");
        line("## What is left out, and why");
        line("");
        Contestants.OMISSIONS.forEach(omission -> line("- " + omission));
    }

    private void line(String line) {
        text.append(line).append('\n');
    }
}
