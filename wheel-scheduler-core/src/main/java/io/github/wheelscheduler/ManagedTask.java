package io.github.wheelscheduler;

import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A task whose runs are recorded: it wraps the user's task and tracks its state. An executor's
 * {@linkplain WheelScheduledExecutorBuilder#decorator decorator} is not applied to it; it brings its own decoration.
 */
public interface ManagedTask extends NamedTask {

    /**
     * Whether an operator arms it now, rather than the code that has scheduled it. A rejection is then reported to the
     * operator instead of the rejection handler, and no thread is created for it on the operator's thread.
     */
    default boolean isSteered() {
        return false;
    }

    /** Whether it is to run as soon as it is due though timers are {@linkplain WheelScheduledExecutor#halt held}. */
    default boolean runsAtOnce() {
        return false;
    }

    /**
     * Whether it waits for a place in a full group, where other tasks may be rejected. The same for each run of a
     * timer.
     */
    default boolean waitsWhenFull() {
        return false;
    }

    /**
     * A run is rejected because its group is full. Called in place of the run, on a thread of the group. Anything it
     * throws is logged.
     */
    default void refused(RejectedExecutionException reason) {}

    /**
     * A number of runs of a fixed rate were missed just now, and are skipped. On the worker; should be quick and not
     * fail.
     */
    default void missed(long runs) {}

    /** Returns the pacing of its runs; null if it has none. The same for each run of a timer. */
    default @Nullable Pacing pacing() {
        return null;
    }

    /** Returns the pacing of a task's runs; null if it has none. */
    static @Nullable Pacing pacingOf(@Nullable Object task) {
        return task instanceof ManagedTask managed ? managed.pacing() : null;
    }
}
