package io.github.wheelscheduler.benchmarks.contender;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds threads that a contender does not let anyone make or see. */
final class LiveThreads {

    private LiveThreads() {}

    /** Returns a platform thread whose name contains the text, in whatever case, or null. */
    static @Nullable Thread named(String part) {
        String wanted = part.toLowerCase(Locale.ROOT);
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().toLowerCase(Locale.ROOT).contains(wanted)) {
                return thread;
            }
        }
        return null;
    }
}
