package io.github.wheelscheduler.durable;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** When a recurring task runs, by the database's clock. Any thread. */
public interface Recurrence {

    /** Returns what tells this schedule from others of the same task, so that a change is noticed. */
    String text();

    /** Returns when the first run is due, if there has been none; null for never. */
    @Nullable
    Instant first(Instant now);

    /**
     * Returns when the run is due that follows one.
     *
     * @param dueAt when that was due
     * @param endedAt when it has ended
     * @return null for never
     */
    @Nullable
    Instant next(Instant dueAt, Instant endedAt);
}
