package io.github.wheelscheduler;

import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A task of which books are kept, between the timer and what it runs in the end. An executor's
 * {@linkplain WheelScheduledExecutorBuilder#decorator decorator} is not asked for it: what it needs around it, it brings itself.
 */
public interface ManagedTask extends NamedTask {

    /**
     * Whether an operator arms it now, who is not the one that has scheduled it. Then it is not the rejection handler that decides, but
     * the operator who is told; and no thread is made for it on the operator's.
     */
    default boolean isSteered() {
        return false;
    }

    /** Whether it is to run as soon as it is due though timers are {@linkplain WheelScheduledExecutor#halt held}. */
    default boolean runsAtOnce() {
        return false;
    }

    /** Whether it waits for a place in a full group, where other tasks may be refused. The same for each run of a timer. */
    default boolean waitsWhenFull() {
        return false;
    }

    /** A run will not be, because its group is full. In place of the run, on a thread of the group. What it throws is logged. */
    default void refused(RejectedExecutionException reason) {}

    /** That many runs of a fixed rate were missed just now, and are not made up. On the worker; should be quick and not fail. */
    default void missed(long runs) {}

    /** Returns who has a say in when it runs; null for nobody. The same for each run of a timer. */
    default @Nullable Pacing pacing() {
        return null;
    }

    /** Returns who has a say in when a task runs; null for nobody. */
    static @Nullable Pacing pacingOf(@Nullable Object task) {
        return task instanceof ManagedTask managed ? managed.pacing() : null;
    }
}
