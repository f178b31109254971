package io.github.wheelscheduler.jdbc.internal;

/** Takes notes of the ends of durable runs, as a history does. It is called after the end has been committed. */
public interface RunJournal {

    /** Takes a note of an end. Any thread; does not block. An exception is logged, and changes nothing. */
    void ended(EndNote end);
}
