package io.github.wheelscheduler.benchmarks.figure;

/**
 * The goal of a comparison: one contender takes at most so many times as much as another, or at most so much more.
 *
 * @param contender name of one
 * @param peer name of the other
 * @param metric key of the metric that counts
 * @param most the greatest ratio or difference
 * @param isDifference whether it is a difference
 */
public record Goal(String contender, String peer, String metric, double most, boolean isDifference) {

    Goal(String contender, String peer, String metric, double most) {
        this(contender, peer, metric, most, false);
    }

    static Goal difference(String contender, String peer, String metric, double most) {
        return new Goal(contender, peer, metric, most, true);
    }
}
