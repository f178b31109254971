package io.github.wheelscheduler.benchmarks.report;

import io.github.wheelscheduler.benchmarks.figure.Figure;
import io.github.wheelscheduler.benchmarks.figure.Goal;
import io.github.wheelscheduler.benchmarks.figure.Metric;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The goals of comparisons, and whether they were met. */
final class Goals {

    private Goals() {}

    /** Returns a line for each goal of a variant whose two contenders were measured. */
    static List<String> lines(Summary summary, String java, Figure figure, String variant) {
        return figure.goals(variant).stream()
                .map(goal -> line(summary, java, figure, variant, goal))
                .flatMap(Stream::ofNullable)
                .toList();
    }

    private static @Nullable String line(Summary summary, String java, Figure figure, String variant, Goal goal) {
        Spread ours = summary.spread(java, figure, variant, goal.contender(), goal.metric());
        Spread theirs = summary.spread(java, figure, variant, goal.peer(), goal.metric());
        if (ours == null || theirs == null || theirs.median() <= 0) {
            return null;
        }
        boolean isDifference = goal.isDifference();
        double found = isDifference ? ours.median() - theirs.median() : ours.median() / theirs.median();
        Metric metric = metric(figure, variant, goal.metric());
        return "Goal: `" + goal.contender() + "` at most " + Numbers.format(goal.most())
                + (isDifference ? " " + metric.unit() + " more than `" : " times `") + goal.peer() + "`, "
                + metric.label() + ". It is " + Numbers.format(found)
                + (isDifference
                        ? " " + metric.unit() + " more, the middle half " + middle(ours) + " beside " + middle(theirs)
                        : " times")
                + (found <= goal.most() ? ", so it is met." : ", so it is missed.");
    }

    private static String middle(Spread spread) {
        return Numbers.format(spread.lowerQuartile()) + " to " + Numbers.format(spread.upperQuartile());
    }

    private static Metric metric(Figure figure, String variant, String key) {
        return figure.metrics(variant).stream()
                .filter(metric -> metric.key().equals(key))
                .findFirst()
                .orElseThrow();
    }
}
