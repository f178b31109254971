package io.github.wheelscheduler.benchmarks.report;

import io.github.wheelscheduler.benchmarks.figure.Figure;
import io.github.wheelscheduler.benchmarks.figure.Figures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;

/** Pictures of the medians on one JDK. */
public final class Plots {

    private static final int WIDTH = 820;
    private static final int HEIGHT = 420;

    /** A logarithmic axis has no zero. */
    private static final double LEAST_VALUE = 0.01;

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
        CategoryChart chart = new CategoryChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(figure.title() + " (JDK " + java + ")")
                .yAxisTitle(unit)
                .build();
        chart.getStyler().setYAxisLogarithmic(true);
        chart.getStyler().setPlotGridVerticalLinesVisible(false);
        double least = Double.MAX_VALUE;
        for (Bars bars : series) {
            List<Double> medians = contenders.stream()
                    .map(contender -> median(figure, bars.variant, contender, bars.metric))
                    .toList();
            least = Math.min(least, Collections.min(medians));
            chart.addSeries(bars.label, contenders, medians);
        }
        // Bars of a logarithmic axis need to be told where they begin.
        chart.getStyler().setYAxisMin(Math.pow(10, Math.floor(Math.log10(least))));
        save(chart, name, fileName);
    }

    private void churn() throws IOException {
        Figure figure = Figures.named("J");
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(figure.title() + " (JDK " + java + ")")
                .xAxisTitle("pending")
                .yAxisTitle("CPU ns per pair")
                .build();
        chart.getStyler().setXAxisLogarithmic(true);
        chart.getStyler().setYAxisLogarithmic(true);
        for (String contender : figure.contenders(figure.variants().get(0))) {
            List<Double> sizes = new ArrayList<>();
            List<Double> medians = new ArrayList<>();
            for (String variant : figure.variants()) {
                if (summary.jvms(java, figure, variant, contender) > 0) {
                    sizes.add(sizeOf(variant));
                    medians.add(median(figure, variant, contender, "cpuNanos"));
                }
            }
            if (!sizes.isEmpty()) {
                chart.addSeries(contender, sizes, medians);
            }
        }
        if (!chart.getSeriesMap().isEmpty()) {
            save(chart, "J", "churn");
        }
    }

    private static double sizeOf(String variant) {
        return Double.parseDouble(variant.replace("k", "e3").replace("M", "e6"));
    }

    private double median(Figure figure, String variant, String contender, String metric) {
        Spread spread = summary.spread(java, figure, variant, contender, metric);
        return spread == null ? LEAST_VALUE : Math.max(LEAST_VALUE, spread.median());
    }

    private void save(Chart<?, ?> chart, String figure, String fileName) throws IOException {
        Path file = directory.resolve(fileName + ".svg");
        VectorGraphicsEncoder.saveVectorGraphic(chart, file.toString(), VectorGraphicsFormat.SVG);
        paths.put(figure, directory.getFileName() + "/" + file.getFileName());
    }
}
