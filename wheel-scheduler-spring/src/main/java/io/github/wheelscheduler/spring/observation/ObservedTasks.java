package io.github.wheelscheduler.spring.observation;

/** Which tasks are observed, see {@code wheel.scheduler.observe}. */
public enum ObservedTasks {

    /** Methods with an annotation such as {@code @Scheduled} alone, which Spring observes itself. */
    ANNOTATED,

    /** These, and tasks with a name. */
    NAMED,

    /** Every task, also one-time timers. */
    ALL
}
