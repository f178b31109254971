package io.github.wheelscheduler.benchmarks.report;

import java.util.Locale;

/** Numbers as people read them: about three digits that mean something. */
public final class Numbers {

    private Numbers() {}

    /** Returns the number as text. */
    public static String format(double value) {
        double size = Math.abs(value);
        if (size >= 100 || value == Math.rint(value)) {
            return String.format(Locale.ROOT, "%,d", Math.round(value)).replace(',', ' ');
        }
        int decimals = size >= 10 ? 1 : size >= 1 ? 2 : 3;
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }
}
