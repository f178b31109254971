package io.github.wheelscheduler.benchmarks.report;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A logarithmic axis over whole decades, from a position to another. */
final class LogAxis {

    private static final double LEAST_VALUE = 0.01;

    private final int firstDecade;
    private final int lastDecade;
    private final double from;
    private final double to;

    /** Makes an axis on which all values have a place. */
    LogAxis(Collection<Double> values, double from, double to) {
        double least = values.stream().mapToDouble(LogAxis::positive).min().orElse(1);
        double greatest = values.stream().mapToDouble(LogAxis::positive).max().orElse(1);
        this.firstDecade = (int) Math.floor(Math.log10(least));
        this.lastDecade = Math.max(firstDecade + 1, (int) Math.ceil(Math.log10(greatest)));
        this.from = from;
        this.to = to;
    }

    /** Zero has no logarithm. */
    private static double positive(double value) {
        return Math.max(LEAST_VALUE, value);
    }

    /** Returns the position of a value. */
    double place(double value) {
        return from + (Math.log10(positive(value)) - firstDecade) / (lastDecade - firstDecade) * (to - from);
    }

    /** Returns the powers of ten. */
    List<Double> marks() {
        List<Double> marks = new ArrayList<>();
        for (int decade = firstDecade; decade <= lastDecade; decade++) {
            marks.add(Math.pow(10, decade));
        }
        return marks;
    }
}
