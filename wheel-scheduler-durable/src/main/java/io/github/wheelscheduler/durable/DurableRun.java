package io.github.wheelscheduler.durable;

import java.time.Instant;

/** The current run, for its handler. Any thread; after the run, too. */
public interface DurableRun {

    /** Returns which task it is of its handler. */
    String id();

    /** Returns which attempt this is: 1, and one more after each failure. */
    int attempt();

    /** Returns when this attempt was due, by the database's clock. */
    Instant dueAt();

    /** Returns when the first attempt was due. */
    Instant firstDueAt();

    /** Returns the name of the node that this is. */
    String node();

    /** Whether the run is to end, because the node closes or its time limit is over. It is interrupted then, too. */
    boolean isCancelled();
}
