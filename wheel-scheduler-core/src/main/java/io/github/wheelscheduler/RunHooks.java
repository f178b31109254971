package io.github.wheelscheduler;

import org.jspecify.annotations.Nullable;

/**
 * Is told on the worker's thread before and after each run. What a hook throws is logged and does no harm to the run.
 */
public interface RunHooks {

    /** Called before the run, with the thread that is about to run it. */
    default void beforeRun(Thread thread, Runnable run) {}

    /** Called after the run, with what escaped from it; a timer keeps its own failures, so that is hardly ever anything. */
    default void afterRun(Runnable run, @Nullable Throwable failure) {}
}
