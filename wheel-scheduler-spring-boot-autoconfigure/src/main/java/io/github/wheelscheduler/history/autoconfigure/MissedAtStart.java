package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/**
 * The runs that schedules say were missed while no node was up. A task is forgotten when it runs. Schedules of less than a
 * minute are left out, as each restart would miss some. Any thread.
 */
final class MissedAtStart {

    private static final Duration SHORTEST = Duration.ofMinutes(1);
    private static final int MOST_COUNTED = 1_000;

    private final Map<Key, Missed> byTask = new ConcurrentHashMap<>();

    private record Key(String scheduler, String task) {}

    /**
     * Runs of one task.
     *
     * @param runs how many, 1,000 for more, too
     * @param since when it had last run
     */
    record Missed(@Nullable String scheduler, String task, long runs, Instant since) {}

    void note(WheelTaskScheduler scheduler, String task, long runs, Instant since) {
        Missed ignored = byTask.put(keyOf(scheduler, task), new Missed(scheduler.getBeanName(), task, runs, since));
    }

    void ran(WheelTaskScheduler scheduler, String task) {
        if (!byTask.isEmpty()) {
            Missed ignored = byTask.remove(keyOf(scheduler, task));
        }
    }

    private static Key keyOf(WheelTaskScheduler scheduler, String task) {
        return new Key(Objects.requireNonNullElse(scheduler.getBeanName(), ""), task);
    }

    List<Missed> all() {
        return List.copyOf(byTask.values());
    }

    /** Returns how many runs a schedule names between the last one and a start, of a cron or of a fixed rate; 0 for others. */
    static long between(TaskSchedule schedule, Instant last, Instant start, ZoneId usualZone) {
        if (schedule instanceof TaskSchedule.FixedRate rate) {
            return rate.period().compareTo(SHORTEST) < 0
                    ? 0
                    : Math.min(
                            MOST_COUNTED,
                            Math.max(0, Duration.between(last, start).dividedBy(rate.period())));
        }
        Duration interval = schedule.intervalAfter(last);
        if (!schedule.isCron() || (interval != null && interval.compareTo(SHORTEST) < 0)) {
            return 0;
        }
        CronExpression cron = CronExpression.parse(schedule.text());
        ZonedDateTime next = cron.next(last.atZone(Objects.requireNonNullElse(schedule.zone(), usualZone)));
        long runs = 0;
        while (next != null && next.toInstant().isBefore(start) && runs < MOST_COUNTED) {
            runs++;
            next = cron.next(next);
        }
        return runs;
    }
}
