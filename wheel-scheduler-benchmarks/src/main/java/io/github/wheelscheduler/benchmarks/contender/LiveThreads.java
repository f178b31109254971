package io.github.wheelscheduler.benchmarks.contender;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Finds threads that a contender does not let anyone make or see. */
final class LiveThreads {

    private LiveThreads() {}

    /** Returns a platform thread whose name is as wanted, or null. */
    static @Nullable Thread named(Predicate<String> wanted) {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (wanted.test(thread.getName())) {
                return thread;
            }
        }
        return null;
    }
}
