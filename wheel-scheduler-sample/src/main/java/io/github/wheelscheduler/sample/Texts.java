package io.github.wheelscheduler.sample;

import java.time.Duration;
import java.util.Locale;

/** Durations as people write them. */
public final class Texts {

    private Texts() {}

    /** Returns it in milliseconds or seconds. */
    public static String of(Duration duration) {
        long millis = duration.toMillis();
        if (millis < 1_000) {
            return millis + " ms";
        }
        return millis % 1_000 == 0 ? millis / 1_000 + " s" : String.format(Locale.ROOT, "%.1f s", millis / 1_000.0);
    }
}
