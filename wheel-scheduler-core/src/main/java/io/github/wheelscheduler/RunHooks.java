package io.github.wheelscheduler;

import org.jspecify.annotations.Nullable;

/**
 * Called on the worker's thread before and after each run. An exception of a hook is logged and does not affect the
 * run.
 */
public interface RunHooks {

    /** Called before the run, with the thread that is about to run it. */
    default void beforeRun(Thread thread, Runnable run) {}

    /**
     * Called after the run, with the exception that escaped from it, which is rare, as a timer keeps its own failures.
     */
    default void afterRun(Runnable run, @Nullable Throwable failure) {}
}
