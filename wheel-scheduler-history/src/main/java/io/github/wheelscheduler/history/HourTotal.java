package io.github.wheelscheduler.history;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The number of runs of a task with an outcome in an hour, or on a day.
 *
 * @param start the start of the hour, or of the day in UTC
 * @param task the id of the task, or a handler
 * @param node the name of the node; null for days, which add up all nodes
 * @param outcome how they ended
 * @param runs how many, with runs that have no row
 * @param sum how long they took together
 * @param longest how long the longest took
 * @param earliest when the first one ended
 * @param latest when the last one ended
 */
public record HourTotal(
        Instant start,
        String task,
        @Nullable String node,
        HistoryOutcome outcome,
        long runs,
        Duration sum,
        Duration longest,
        Instant earliest,
        Instant latest) {}
