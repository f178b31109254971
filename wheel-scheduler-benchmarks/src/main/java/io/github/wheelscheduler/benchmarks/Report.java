package io.github.wheelscheduler.benchmarks;

import io.github.wheelscheduler.benchmarks.report.MarkdownReport;
import io.github.wheelscheduler.benchmarks.report.Plots;
import io.github.wheelscheduler.benchmarks.report.Result;
import io.github.wheelscheduler.benchmarks.report.ResultFile;
import io.github.wheelscheduler.benchmarks.report.Summary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Turns a file of results into a page and its plots. */
final class Report {

    private Report() {}

    /**
     * Writes them.
     *
     * @throws IllegalArgumentException if there are no results
     */
    static void write(Options options) throws IOException {
        List<Result> results = new ResultFile(options.results()).read();
        Summary summary = new Summary(results);
        String latestJava = summary.javas().stream()
                .max(Comparator.comparingInt(Integer::parseInt))
                .orElseThrow(
                        () -> new IllegalArgumentException("there must be results, was none in " + options.results()));
        Map<String, String> plots =
                Plots.write(summary, latestJava, options.docs().resolve("plots"));
        Path page = options.docs().resolve("benchmarks.md");
        Files.writeString(page, MarkdownReport.of(results, plots));
        System.out.println("wrote " + page + " and " + plots.size() + " plots");
    }
}
