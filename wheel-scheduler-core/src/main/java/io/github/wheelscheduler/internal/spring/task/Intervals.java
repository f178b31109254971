package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What follows from the interval of a schedule. */
final class Intervals {

    private static final long SHORTEST_CRON_INTERVAL_NANOS = 1_000_000_000;

    private Intervals() {}

    /** Returns the interval of a rate, and the least that a calendar may name; else the longest there is. */
    static long shortest(TaskSchedule schedule) {
        if (schedule.countsFromEnd() || !schedule.isRepeating()) {
            return Long.MAX_VALUE;
        }
        Duration period = schedule.isCron() ? null : schedule.intervalAfter(Instant.EPOCH);
        return period == null ? SHORTEST_CRON_INTERVAL_NANOS : TimeUnit.NANOSECONDS.convert(period);
    }

    /** Whether it is the first delay, or instant, that decides when the task starts; else a trigger does. */
    static boolean startsByDelay(TaskSchedule schedule) {
        return !(schedule instanceof TaskSchedule.Cron || schedule instanceof TaskSchedule.Calendar);
    }

    /** Returns when a task that is re-timed now runs first; null if its schedule says so itself. */
    static @Nullable Instant firstRun(TaskSchedule schedule, Instant now) {
        if (schedule instanceof TaskSchedule.Once once) {
            return once.at();
        }
        Duration interval = startsByDelay(schedule) ? schedule.intervalAfter(now) : null;
        // Huge intervals are cut, as the executor does it.
        return interval == null ? null : now.plusNanos(TimeUnit.NANOSECONDS.convert(interval));
    }
}
