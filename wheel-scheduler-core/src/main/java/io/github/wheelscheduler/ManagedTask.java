package io.github.wheelscheduler;

/**
 * A task that somebody keeps books of, between the timer and what it runs in the end. An executor's
 * {@linkplain WheelScheduledExecutorBuilder#decorator decorator} is not asked for it: what it needs around it, it brings itself.
 */
public interface ManagedTask extends NamedTask {

    /** That many runs of a fixed rate were missed just now, and are not made up. On the worker; should be quick and not fail. */
    default void missed(long runs) {}
}
