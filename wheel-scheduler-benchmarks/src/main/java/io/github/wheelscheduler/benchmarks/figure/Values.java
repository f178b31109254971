package io.github.wheelscheduler.benchmarks.figure;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** The measured values of one JVM, by the keys of metrics. */
public final class Values {

    private final Map<String, Double> byKey = new LinkedHashMap<>();

    Values with(String key, double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalStateException(key + " must be a number, was " + value);
        }
        byKey.put(key, value);
        return this;
    }

    Values with(String key, long value) {
        return with(key, (double) value);
    }

    /** Returns the values in the order in which they were added. */
    public Map<String, Double> byKey() {
        return Collections.unmodifiableMap(byKey);
    }
}
