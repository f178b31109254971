package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A recurring task that is to be made at run time.
 *
 * @param id its id among all recurring tasks, 1 to 200 characters
 * @param schedule a cron expression, a fixed rate or a fixed delay. A cron without a zone is meant in that of this
 *     machine, so where machines have several, each would change the schedule
 * @param payload the payload for the handler with each run, null for none; it is written as JSON
 * @param firstAt the time at which the first run is due, from which a fixed rate counts; null for now, or for the first
 *     time of the cron. It says nothing where the schedule has not changed
 * @param missed the treatment of runs that were due while no node was up
 */
public record RecurringRequest(
        String id,
        TaskSchedule schedule,
        @Nullable Object payload,
        @Nullable Instant firstAt,
        Durable.Missed missed) {

    /** Checks for nulls; the rest is checked when it is made. */
    public RecurringRequest {
        Objects.requireNonNull(id, "id must not be null");
        Objects.requireNonNull(schedule, "schedule must not be null");
        Objects.requireNonNull(missed, "missed must not be null");
    }

    /** Creates one where a single run makes up for all missed ones; it begins now, or at the first time of its cron. */
    public RecurringRequest(String id, TaskSchedule schedule, @Nullable Object payload) {
        this(id, schedule, payload, null, Durable.Missed.RUN_ONCE);
    }

    /** Without the payload, which may be secret. */
    @Override
    public String toString() {
        return "RecurringRequest[id=" + id + ", schedule=" + schedule + ", firstAt=" + firstAt + ", missed=" + missed
                + "]";
    }
}
