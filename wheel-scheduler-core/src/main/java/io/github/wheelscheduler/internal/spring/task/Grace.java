package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * How late a task may be before it counts as overdue.
 *
 * @param share of its interval
 * @param shortest however short the interval is
 */
public record Grace(double share, Duration shortest) {

    boolean isOverdue(Duration lateBy, TaskSchedule schedule, Instant now) {
        if (lateBy.compareTo(shortest) <= 0) {
            return false;
        }
        Duration interval = schedule.intervalAfter(now);
        return interval == null || lateBy.toNanos() > share * TimeUnit.NANOSECONDS.convert(interval);
    }
}
