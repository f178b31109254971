package io.github.wheelscheduler.benchmarks.figure;

/**
 * One number of a figure.
 *
 * @param key its name in a file of results
 * @param label its name in a report
 * @param unit its unit in a report
 * @param isCompared whether a report says how it compares with ours
 */
public record Metric(String key, String label, String unit, boolean isCompared) {

    /** The key of a value that is 1 if what was measured had not come to its end. */
    public static final String AT_LEAST = "isAtLeast";

    static Metric compared(String key, String label, String unit) {
        return new Metric(key, label, unit, true);
    }

    static Metric plain(String key, String label, String unit) {
        return new Metric(key, label, unit, false);
    }
}
