package io.github.wheelscheduler.benchmarks.report;

import java.util.List;

/**
 * The same number from several JVMs.
 *
 * @param min the least
 * @param lowerQuartile a quarter is at most that
 * @param median the middle one, or the mean of the two middle ones
 * @param upperQuartile a quarter is at least that
 * @param max the greatest
 */
public record Spread(double min, double lowerQuartile, double median, double upperQuartile, double max) {

    /**
     * Takes at least one number.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Spread of(List<Double> numbers) {
        if (numbers.isEmpty()) {
            throw new IllegalArgumentException("numbers must not be empty");
        }
        double[] sorted =
                numbers.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int last = sorted.length - 1;
        double median = (sorted[last / 2] + sorted[sorted.length / 2]) / 2;
        return new Spread(sorted[0], sorted[last / 4], median, sorted[last - last / 4], sorted[last]);
    }
}
