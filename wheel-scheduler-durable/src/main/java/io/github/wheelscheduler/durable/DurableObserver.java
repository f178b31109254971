package io.github.wheelscheduler.durable;

import java.time.Duration;

/** Is told of runs, as of lateness for a meter. Worker; what it throws is dropped. */
public interface DurableObserver {

    /** Does nothing. */
    DurableObserver NONE = new DurableObserver() {};

    /**
     * A run is about to start.
     *
     * @param lateness by how much it is later than it was due, by the database's clock
     */
    default void starting(String handler, Duration lateness) {}

    /** A run has ended. */
    default void ended(String handler, Duration length, boolean succeeded) {}
}
