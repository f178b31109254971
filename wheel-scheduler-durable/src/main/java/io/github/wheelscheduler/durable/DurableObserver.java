package io.github.wheelscheduler.durable;

import java.time.Duration;

/** Receives starts and ends of runs, for instance for a meter of lateness. Worker; exceptions are dropped. */
public interface DurableObserver {

    /** Does nothing. */
    DurableObserver NONE = new DurableObserver() {};

    /** This node has got a handler, or a recurring task that it runs. The thread that adds it. */
    default void handles(String handler) {}

    /**
     * A run is about to start.
     *
     * @param lateness by how much it is later than it was due, by the database's clock
     */
    default void starting(String handler, Duration lateness) {}

    /** A run has ended. */
    default void ended(String handler, Duration length, boolean succeeded) {}
}
