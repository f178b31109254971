package io.github.wheelscheduler.spring.run;

import org.jspecify.annotations.Nullable;

/**
 * Receives the ends of one-time runs of a scheduler that its registry does not list, on the thread where they end: of
 * tasks that were executed, submitted or scheduled once without an id. It should be quick; what it throws is logged
 * once and never harms a task.
 */
@FunctionalInterface
public interface OneTimeRunListener {

    /**
     * A run has ended.
     *
     * @param name that the task says; else the name of its class
     * @param isNamed whether the task says it
     * @param outcome without lateness
     * @param thrown the exception, which must not be kept for long; null if the run has ended well
     */
    void ran(String name, boolean isNamed, RunOutcome outcome, @Nullable Throwable thrown);
}
