package io.github.wheelscheduler.durable;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A recurring task as the database has it, the same for all nodes.
 *
 * @param id its id
 * @param handler the handler that runs it, if it was made at run time; null for a method with {@link Durable}
 * @param schedule its kind and text, such as {@code cron 0 0 3 * * * Europe/Berlin} or {@code fixed-rate PT5S}
 * @param declaredSchedule the same as the code says; another one if it has been re-timed
 * @param isPaused whether no node runs it at its times until it is resumed
 * @param dueAt the time at which the next run is due, or the active one was, by the database's clock; null if its
 *     schedule has ended or never fires
 * @param owner the node that has claimed that run; null if none has
 * @param lastSuccessAt the time at which the last run ended that did not fail; null if none has
 * @param failures the number of consecutive failed runs, retries among them
 * @param lastFailureAt the time of the last failed run; null if none has failed
 * @param failure the exception of the last run; null if it did not fail
 */
public record RecurringTask(
        String id,
        @Nullable String handler,
        String schedule,
        String declaredSchedule,
        boolean isPaused,
        @Nullable Instant dueAt,
        @Nullable String owner,
        @Nullable Instant lastSuccessAt,
        int failures,
        @Nullable Instant lastFailureAt,
        @Nullable String failure) {}
