package io.github.wheelscheduler.jdbc.internal;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Takes notes of the ends of durable runs, as a history does. Any thread; an exception is logged, and changes nothing.
 */
public interface RunJournal {

    /** Takes a note of an end that has been committed. Does not block. */
    void ended(EndNote end);

    /**
     * Returns the rows that statements on a database write together with the ends; null if each end is to be noted
     * after its commit, as the history is elsewhere or does not take rows now.
     */
    default @Nullable EndRows rowsIn(DataSource dataSource) {
        return null;
    }
}
