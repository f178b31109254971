package io.github.wheelscheduler.internal.spring.observation;

import org.jspecify.annotations.Nullable;

/** Runs of annotated methods that Spring is not to observe. It asks on the thread of the run whether it may. */
public final class UnobservedRuns {

    private static final ThreadLocal<@Nullable Boolean> CURRENT = new ThreadLocal<>();

    private UnobservedRuns() {}

    /** Runs the task as such a run. */
    public static void run(Runnable task) {
        CURRENT.set(true);
        try {
            task.run();
        } finally {
            CURRENT.remove();
        }
    }

    /** Whether the calling thread is in such a run. */
    public static boolean isOnThisThread() {
        return CURRENT.get() != null;
    }
}
