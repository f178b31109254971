package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskQuery;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.scheduling.support.CronExpression;

/** Tells tasks that run more often than every ten minutes, and would hide all others in a view of a day, from those. */
final class FrequentTasks {

    private static final Duration OFTEN = Duration.ofMinutes(10);
    private static final Duration DAY = Duration.ofDays(1);
    private static final long MOST = DAY.dividedBy(OFTEN);

    private final Map<TaskSchedule, Boolean> known = new HashMap<>();

    private final Instant now;

    private FrequentTasks(Instant now) {
        this.now = now;
    }

    /**
     * A page without the frequent ones.
     *
     * @param page the others
     * @param left the number of tasks that were left out
     */
    record Others(TaskQuery.Page<TaskDescriptor> page, int left) {}

    /** Returns the part that a query is for of the tasks that it finds and that are not frequent. */
    static Others without(Map<String, TaskRegistry> registries, TaskQuery query, Instant now) {
        FrequentTasks tasks = new FrequentTasks(now);
        List<Found> all = TaskRegistry.find(registries, query.part(0, Integer.MAX_VALUE), Found::new)
                .tasks();
        List<Found> others =
                all.stream().filter(found -> !tasks.isFrequent(found.task)).toList();
        List<TaskDescriptor> page = others.stream()
                .skip(query.offset())
                .limit(query.limit())
                .map(found -> TaskDescriptor.of(found.scheduler, found.task))
                .toList();
        return new Others(new TaskQuery.Page<>(page, others.size(), null), all.size() - others.size());
    }

    private record Found(String scheduler, TaskInfo task) {}

    private boolean isFrequent(TaskInfo task) {
        TaskSchedule schedule = task.schedule();
        // A trigger of the user's is no key, as that would call its code.
        return schedule.isCron()
                ? known.computeIfAbsent(schedule, cron -> isFrequent(cron, now))
                : isFrequent(schedule, now);
    }

    /**
     * Whether its interval is shorter than ten minutes, or, of a cron, that of its runs of the next day at the mean.
     */
    static boolean isFrequent(TaskSchedule schedule, Instant now) {
        if (!schedule.isCron()) {
            Duration interval = schedule.intervalAfter(now);
            return interval != null && interval.compareTo(OFTEN) < 0;
        }
        CronExpression cron = CronExpression.parse(schedule.text());
        ZonedDateTime at = now.atZone(Objects.requireNonNullElse(schedule.zone(), ZoneOffset.UTC));
        ZonedDateTime end = at.plus(DAY);
        for (long runs = 0; runs <= MOST; runs++) {
            at = cron.next(at);
            if (at == null || at.isAfter(end)) {
                return false;
            }
        }
        return true;
    }
}
