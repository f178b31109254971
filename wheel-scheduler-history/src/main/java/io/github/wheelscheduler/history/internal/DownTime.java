package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.spring.task.TaskInfo;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/** Finds the runs of crons that were due while no node was up: after the last row of any task, and before a start. */
public final class DownTime {

    private static final int MOST_INSTANTS = 10_000;

    /** Each restart would miss runs of shorter intervals. */
    private static final Duration SHORTEST = Duration.ofMinutes(1);

    private final HistoryStore store;
    private final TotalReads totals;

    /** The last sign of life that was found: later rows of the same hour hide it. Any thread. */
    private volatile @Nullable Instant down;

    public DownTime(HistoryStore store) {
        this.store = store;
        this.totals = new TotalReads(store);
    }

    /**
     * Runs of a task that were missed.
     *
     * @param first when the first one was due
     */
    public record Missed(long runs, Instant first) {}

    /** Returns the missed runs of some tasks by their ids, if the history knows the task; for one start only. */
    public Map<String, Missed> before(Instant start, TaskRegistry registry, Collection<String> ids, ZoneId zone) {
        Map<String, Missed> missed = new TreeMap<>();
        Instant after = down;
        if (after == null) {
            after = lastSign(start);
            down = after;
        }
        if (after == null) {
            return missed;
        }
        List<TaskInfo> crons = new ArrayList<>();
        for (String id : ids) {
            registry.find(id).filter(DownTime::isDue).ifPresent(crons::add);
        }
        Instant now = store.sql().now();
        Instant until = now.isBefore(start) ? now : start;
        Map<String, ?> known = totals.summaries(crons.stream().map(TaskInfo::id).toList());
        for (TaskInfo task : crons) {
            Missed runs = known.containsKey(task.id()) ? between(after, until, task.schedule(), zone) : null;
            if (runs != null) {
                Missed ignored = missed.put(task.id(), runs);
            }
        }
        return missed;
    }

    private static boolean isDue(TaskInfo task) {
        return task.schedule().isCron()
                && task.state() != TaskInfo.State.PAUSED
                && task.state() != TaskInfo.State.DISABLED;
    }

    /** Returns the runs of a cron between two times; null if there are none, or its interval is short. */
    static @Nullable Missed between(Instant after, Instant until, TaskSchedule schedule, ZoneId usualZone) {
        Duration interval = schedule.intervalAfter(after);
        if (interval != null && interval.compareTo(SHORTEST) < 0) {
            return null;
        }
        CronExpression cron = CronExpression.parse(schedule.text());
        ZonedDateTime first = cron.next(after.atZone(Objects.requireNonNullElse(schedule.zone(), usualZone)));
        ZonedDateTime next = first;
        long runs = 0;
        while (next != null && next.toInstant().isBefore(until) && runs < MOST_INSTANTS) {
            runs++;
            next = cron.next(next);
        }
        return runs == 0 || first == null ? null : new Missed(runs, first.toInstant());
    }

    /** Returns the time of the last row or count before a time; null if there is none. */
    private @Nullable Instant lastSign(Instant before) {
        HistorySql sql = store.sql();
        Object limit = sql.time(before);
        Optional<Instant> last = sql.first(
                "select max(latest) as latest from (select max(noted_at) as latest from {run}"
                        + " where noted_at >= {folded} and noted_at < ? union all select max(latest) as latest"
                        + " from {count} where latest < ? union all select max(latest) as latest from {hour}"
                        + " where starts_at >= (select max(starts_at) from {hour})) signs",
                (row, number) -> Optional.ofNullable(sql.kind().instant(row, "latest")),
                limit,
                limit);
        return last == null ? null : last.orElse(null);
    }
}
