package io.github.wheelscheduler.spring;

/**
 * The treatment of scheduled tasks by a scheduler. Tasks that are executed, submitted or triggered manually run in any
 * mode.
 */
public enum SchedulerMode {
    /** It runs when it is due. */
    RUN,
    /**
     * Tasks wait for their time and are then held back until the mode changes. No run is lost; fixed rates catch up to
     * their limit. Not the pause of Spring's lifecycle, which the start of the context ends.
     */
    HALTED,
    /** It is taken and never runs, not in a later mode either, as with Spring's {@code NoOpTaskScheduler}. */
    OFF
}
