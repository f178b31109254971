package io.github.wheelscheduler.benchmarks.figure;

/**
 * What a comparison is to show: that one contender takes at most so many times what another takes.
 *
 * @param contender name of one
 * @param peer name of the other
 * @param metric key of the metric that counts
 * @param most the greatest ratio
 */
public record Goal(String contender, String peer, String metric, double most) {}
