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
 * @param outcome their outcome
 * @param runs the number of runs, with runs that have no row
 * @param sum their total duration
 * @param longest the duration of the longest run
 * @param earliest the time at which the first run ended
 * @param latest the time at which the last run ended
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
