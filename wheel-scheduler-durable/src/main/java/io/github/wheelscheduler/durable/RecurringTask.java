package io.github.wheelscheduler.durable;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A recurring task as the database has it, the same for all nodes.
 *
 * @param id what it is called
 * @param handler what runs it, if it was made at run time; null for a method with {@link Durable}
 * @param schedule its kind and text, such as {@code cron 0 0 3 * * * Europe/Berlin} or {@code fixed-rate PT5S}
 * @param declaredSchedule the same as the code says; another one if it has been re-timed
 * @param isPaused whether no node runs it at its times until it is resumed
 * @param dueAt when the next run is due, or the one that is going on was, by the database's clock; null if its schedule
 *     has ended or never fires
 * @param owner the node that has claimed that run; null if none has
 * @param lastSuccessAt when the last run ended that did not fail; null if none has
 * @param failures how many runs have failed in a row, retries among them
 * @param lastFailureAt when the last of them failed; null if none has
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
