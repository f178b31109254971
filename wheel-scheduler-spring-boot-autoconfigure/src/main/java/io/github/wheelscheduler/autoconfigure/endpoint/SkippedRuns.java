package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/** The runs of a cron that do not take place, as clocks that go forward leave their local time out. */
final class SkippedRuns {

    /** A cron of each second has 3,600 of them. */
    private static final int MOST = 5;

    private SkippedRuns() {}

    /**
     * Returns their local times between now and the last of the next runs, at most five.
     *
     * @param zone in which the cron is meant; null if that is not known
     * @param upcoming the next runs, in their order
     */
    static List<LocalDateTime> of(TaskSchedule schedule, @Nullable ZoneId zone, Instant now, List<Instant> upcoming) {
        List<LocalDateTime> skipped = new ArrayList<>();
        if (!schedule.isCron()
                || zone == null
                || upcoming.isEmpty()
                || !CronExpression.isValidExpression(schedule.text())) {
            return skipped;
        }
        CronExpression cron = CronExpression.parse(schedule.text());
        Set<Instant> runs = new HashSet<>(upcoming);
        Instant end = upcoming.get(upcoming.size() - 1);
        ZoneRules rules = zone.getRules();
        ZoneOffsetTransition change = rules.nextTransition(now);
        while (change != null && !change.getInstant().isAfter(end)) {
            if (change.isGap()) {
                addOf(change, cron, runs, skipped);
            }
            change = rules.nextTransition(change.getInstant());
        }
        return skipped;
    }

    private static void addOf(
            ZoneOffsetTransition gap, CronExpression cron, Set<Instant> runs, List<LocalDateTime> skipped) {
        LocalDateTime next = cron.next(gap.getDateTimeBefore().minusNanos(1));
        while (next != null && next.isBefore(gap.getDateTimeAfter()) && skipped.size() < MOST) {
            // By the clock as it was before, it runs all the same.
            if (!runs.contains(next.toInstant(gap.getOffsetBefore()))) {
                skipped.add(next);
            }
            next = cron.next(next);
        }
    }
}
