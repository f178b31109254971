package io.github.wheelscheduler.benchmarks.report;

import java.util.List;

/**
 * The same number from several JVMs.
 *
 * @param min the least
 * @param median the middle one, or the mean of the two middle ones
 * @param max the greatest
 */
public record Spread(double min, double median, double max) {

    /**
     * Takes at least one number.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Spread of(List<Double> numbers) {
        if (numbers.isEmpty()) {
            throw new IllegalArgumentException("there must be numbers, was none");
        }
        double[] sorted =
                numbers.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(sorted[0], median, sorted[sorted.length - 1]);
    }
}
