package io.github.wheelscheduler;

/**
 * Handles a run that is due while its group is full: the maximum number of runs is active, and the queue is full. Every
 * such run that does not start is counted. A series that has lost a run waits for a place when its next one is due, if
 * others have taken places since, so that frequent runs do not take them all. A series on the wall clock, whose runs
 * {@linkplain WheelScheduledExecutor#scheduleNext schedule the next one}, ends with a lost run, unless its task is a
 * {@link ManagedTask} that schedules the next one when it is {@linkplain ManagedTask#refused refused}.
 */
public enum OnFull {

    /**
     * It waits for a place, behind tasks that already wait; it can be cancelled and rescheduled meanwhile. No run is
     * lost.
     */
    WAIT,

    /**
     * It is rejected. The future of a one-time timer fails with a
     * {@link java.util.concurrent.RejectedExecutionException}; a series loses this run and continues; {@code execute}
     * and {@code submit} are rejected at the call.
     */
    REJECT,

    /**
     * It is dropped. A one-time timer ends as cancelled; a series loses this run and continues; {@code execute} and
     * {@code submit} are rejected at the call, as their caller could not be informed later.
     */
    DROP
}
