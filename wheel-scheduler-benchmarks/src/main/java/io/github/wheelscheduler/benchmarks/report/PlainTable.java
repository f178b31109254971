package io.github.wheelscheduler.benchmarks.report;

import io.github.wheelscheduler.benchmarks.figure.Figure;
import io.github.wheelscheduler.benchmarks.figure.Figures;
import io.github.wheelscheduler.benchmarks.figure.Metric;
import java.util.Locale;

/** The medians as text, for the console. */
public final class PlainTable {

    private PlainTable() {}

    /** Returns a table for each variant that was measured. */
    public static String of(Summary summary) {
        StringBuilder text = new StringBuilder();
        for (String java : summary.javas()) {
            for (Figure figure : Figures.ALL) {
                for (String variant : summary.variants(figure)) {
                    if (summary.has(java, figure, variant)) {
                        append(text, summary, java, figure, variant);
                    }
                }
            }
        }
        return text.toString();
    }

    private static void append(StringBuilder text, Summary summary, String java, Figure figure, String variant) {
        text.append(String.format(
                Locale.ROOT, "%n%s. %s (%s, JDK %s)%n%-14s", figure.name(), figure.title(), variant, java, ""));
        for (Metric metric : figure.metrics(variant)) {
            text.append(String.format(Locale.ROOT, "%28s", metric.label() + " [" + metric.unit() + "]"));
        }
        text.append(System.lineSeparator());
        for (String contender : figure.contenders(variant)) {
            if (summary.jvms(java, figure, variant, contender) > 0) {
                text.append(String.format(Locale.ROOT, "%-14s", contender));
                for (Metric metric : figure.metrics(variant)) {
                    Spread spread = summary.spread(java, figure, variant, contender, metric.key());
                    text.append(
                            String.format(Locale.ROOT, "%28s", spread == null ? "-" : Numbers.format(spread.median())));
                }
                text.append(System.lineSeparator());
            }
            for (String failure : summary.failures(java, figure, variant, contender)) {
                text.append(String.format(Locale.ROOT, "%-14s failed: %s%n", contender, failure));
            }
        }
        for (String goal : Goals.lines(summary, java, figure, variant)) {
            text.append(goal).append(System.lineSeparator());
        }
    }
}
