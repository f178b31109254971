package io.github.wheelscheduler.spring;

/** What a scheduler does with what is scheduled. What is executed, submitted or triggered by hand runs in any case. */
public enum SchedulerMode {
    /** It runs when it is due. */
    RUN,
    /**
     * It waits for its time, and is then held back until the mode changes; nothing is lost, fixed rates make up what their limit
     * allows. Not the pause of Spring's lifecycle, which the start of the context ends.
     */
    HALTED,
    /** It is taken and never runs, not in a later mode either, as with Spring's {@code NoOpTaskScheduler}. */
    OFF
}
