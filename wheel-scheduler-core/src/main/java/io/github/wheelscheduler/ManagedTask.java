package io.github.wheelscheduler;

/**
 * A task that somebody keeps books of, between the timer and what it runs in the end. An executor's
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

    /** That many runs of a fixed rate were missed just now, and are not made up. On the worker; should be quick and not fail. */
    default void missed(long runs) {}
}
