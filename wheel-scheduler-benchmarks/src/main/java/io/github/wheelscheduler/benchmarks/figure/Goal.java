package io.github.wheelscheduler.benchmarks.figure;

/**
 * The goal of a comparison: one contender takes at most so many times as much as another.
 *
 * @param contender name of one
 * @param peer name of the other
 * @param metric key of the metric that counts
 * @param most the greatest ratio
 */
public record Goal(String contender, String peer, String metric, double most) {}
