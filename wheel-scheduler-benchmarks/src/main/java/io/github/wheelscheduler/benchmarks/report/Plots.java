package io.github.wheelscheduler.benchmarks.report;

import io.github.wheelscheduler.benchmarks.figure.Figure;
import io.github.wheelscheduler.benchmarks.figure.Figures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Pictures of the medians on one JDK. */
public final class Plots {

    private final Summary summary;
    private final String java;
    private final Path directory;
    private final Map<String, String> paths = new LinkedHashMap<>();

    private Plots(Summary summary, String java, Path directory) {
        this.summary = summary;
        this.java = java;
        this.directory = directory;
    }

    /** A metric of a variant, as a series of bars. */
    private record Bars(String label, String variant, String metric) {}

    /** Writes the plots there, and returns the file name of each one's by its figure. */
    public static Map<String, String> write(Summary summary, String java, Path directory) throws IOException {
        Files.createDirectories(directory);
        Plots plots = new Plots(summary, java, directory);
        plots.bars(
                "A",
                "schedule-and-cancel",
                "ns per pair",
                new Bars("CPU, 1 thread", "1-thread", "cpuNanos"),
                new Bars("CPU, 2 threads", "2-threads", "cpuNanos"),
                new Bars("caller, 1 thread", "1-thread", "callerNanos"),
                new Bars("caller, 2 threads", "2-threads", "callerNanos"));
        plots.bars("C", "burst", "ms late", new Bars("p50", "1M", "p50Millis"), new Bars("p99", "1M", "p99Millis"));
        plots.bars(
                "D", "light-load", "us late", new Bars("p50", "200", "p50Micros"), new Bars("p99", "200", "p99Micros"));
        plots.bars("E", "fixed-rate", "ns of CPU per run", new Bars("CPU", "10k", "cpuNanos"));
        plots.bars(
                "F",
                "heartbeat",
                "worst gap, ms",
                new Bars("fixed rate", "fixed-rate", "worstGapMillis"),
                new Bars("fixed delay", "fixed-delay", "worstGapMillis"));
        plots.churn();
        return plots.paths;
    }

    private void bars(String name, String fileName, String unit, Bars... series) throws IOException {
        Figure figure = Figures.named(name);
        List<String> contenders = figure.contenders(figure.variants().get(0)).stream()
                .filter(contender ->
                        summary.jvms(java, figure, figure.variants().get(0), contender) > 0)
                .toList();
        if (contenders.isEmpty()) {
            return;
        }
        Map<String, List<Double>> medians = new LinkedHashMap<>();
        for (Bars bars : series) {
            medians.put(
                    bars.label,
                    contenders.stream()
                            .map(contender -> median(figure, bars.variant, contender, bars.metric))
                            .toList());
        }
        save(BarPlot.of(title(figure), unit, contenders, medians), name, fileName);
    }

    private void churn() throws IOException {
        Figure figure = Figures.named("J");
        Map<String, List<LinePlot.Point>> lines = new LinkedHashMap<>();
        for (String contender : figure.contenders(figure.variants().get(0))) {
            List<LinePlot.Point> points = new ArrayList<>();
            for (String variant : figure.variants()) {
                if (summary.jvms(java, figure, variant, contender) > 0) {
                    points.add(new LinePlot.Point(sizeOf(variant), median(figure, variant, contender, "cpuNanos")));
                }
            }
            if (!points.isEmpty()) {
                lines.put(contender, points);
            }
        }
        if (!lines.isEmpty()) {
            save(LinePlot.of(title(figure), "pending", "CPU ns per pair", lines), "J", "churn");
        }
    }

    private String title(Figure figure) {
        return figure.name() + ". " + figure.title() + " (JDK " + java + ")";
    }

    private static double sizeOf(String variant) {
        return Double.parseDouble(variant.replace("k", "e3").replace("M", "e6"));
    }

    private double median(Figure figure, String variant, String contender, String metric) {
        Spread spread = summary.spread(java, figure, variant, contender, metric);
        return spread == null ? 0 : spread.median();
    }

    private void save(String picture, String figure, String fileName) throws IOException {
        Path file = directory.resolve(fileName + ".svg");
        Files.writeString(file, picture);
        paths.put(figure, directory.getFileName() + "/" + file.getFileName());
    }
}
