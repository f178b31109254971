package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.spring.settings.MissedRuns;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronTrigger;

/**
 * The schedule of a task after its settings have been applied.
 *
 * @param schedule the times of its runs
 * @param first its start; null if the schedule determines it, or for at once
 * @param settings its settings
 */
record SettledSchedule(TaskSchedule schedule, @Nullable Instant first, TaskSettings settings) {

    private static final String NO_CRON = "-";
    private static final long SHORTEST_CRON_INTERVAL_NANOS = 1_000_000_000;

    static SettledSchedule of(TaskSchedule written, @Nullable Instant first, TaskSettings settings, Clock clock) {
        TaskSchedule zoned = written.meantIn(clock.getZone());
        if (settings.isNothing()) {
            return new SettledSchedule(zoned, first, settings);
        }
        TaskSchedule schedule = replaced(zoned, settings, clock.getZone());
        boolean isOfOtherKind = !schedule.kind().equals(written.kind());
        Duration delay = settings.initialDelay();
        Instant start = isOfOtherKind ? null : first;
        if (delay != null && startsByDelay(schedule)) {
            // Huge delays are cut, as the executor does it.
            start = clock.instant().plusNanos(TimeUnit.NANOSECONDS.convert(delay));
            schedule = schedule.isRepeating() ? schedule : TaskSchedule.once(start);
        }
        return new SettledSchedule(schedule, start, settings);
    }

    /** Whether a task with such settings runs at all, before anybody steers it. */
    static boolean isEnabled(TaskSettings settings) {
        return settings.isNothing() || (!Boolean.FALSE.equals(settings.enabled()) && !NO_CRON.equals(settings.cron()));
    }

    private static TaskSchedule replaced(TaskSchedule written, TaskSettings settings, ZoneId clockZone) {
        String cron = settings.cron();
        if (cron != null && !cron.equals(NO_CRON)) {
            ZoneId writtenZone = written.zone();
            return cron(cron, writtenZone == null ? clockZone : writtenZone, settings);
        }
        Duration rate = settings.fixedRate();
        if (rate != null) {
            return TaskSchedule.fixedRate(rate);
        }
        Duration delay = settings.fixedDelay();
        if (delay != null) {
            return TaskSchedule.fixedDelay(delay);
        }
        boolean isAboutTheCron = settings.zone() != null || settings.gap() != null || settings.overlap() != null;
        String expression = isAboutTheCron ? expressionOf(written) : "";
        ZoneId usualZone = expression.isEmpty() ? null : written.zone();
        // A cron whose zone is not known must not be moved to another one.
        return expression.isEmpty() || (usualZone == null && settings.zone() == null)
                ? written
                : cron(expression, usualZone == null ? clockZone : usualZone, settings);
    }

    /**
     * Returns a schedule that a task is re-timed to, with what is set for its zone and for days on which clocks change.
     *
     * @param usualZone of a cron expression that says none
     */
    static TaskSchedule retimed(TaskSchedule given, ZoneId usualZone, TaskSettings settings) {
        String expression = expressionOf(given);
        ZoneId zone = settings.zone();
        if (zone == null && !expression.isEmpty()) {
            zone = given.meantIn(usualZone).zone();
        }
        if (expression.isEmpty() || zone == null) {
            return given;
        }
        return given instanceof TaskSchedule.Cron cron && (cron.gap() != null || cron.overlap() != null)
                ? new TaskSchedule.Cron(expression, zone, cron.gap(), cron.overlap())
                : new TaskSchedule.Cron(expression, zone, settings.gap(), settings.overlap());
    }

    private static TaskSchedule cron(String expression, ZoneId usualZone, TaskSettings settings) {
        ZoneId zone = settings.zone();
        return new TaskSchedule.Cron(expression, zone == null ? usualZone : zone, settings.gap(), settings.overlap());
    }

    private static String expressionOf(TaskSchedule schedule) {
        if (schedule instanceof TaskSchedule.Cron cron) {
            return cron.expression();
        }
        // A subclass is a user's code, which may name other instants.
        return schedule instanceof TaskSchedule.Calendar calendar
                        && calendar.trigger().getClass() == CronTrigger.class
                ? calendar.cronExpression()
                : "";
    }

    /** Returns the settings that have no effect on such a schedule, by name. */
    List<String> idle() {
        String expression = expressionOf(schedule);
        boolean isCron = !expression.isEmpty();
        boolean hasFixedHours = isCron && DaylightSavingTrigger.hasFixedHours(expression);
        boolean takesMissedRuns =
                schedule instanceof TaskSchedule.FixedRate || (isCron && settings.missedRuns() != MissedRuns.CATCH_UP);
        return settings.toMap().keySet().stream()
                .filter(setting -> switch (setting) {
                    case "zone" -> !isCron;
                    case "initial-delay" -> !startsByDelay(schedule);
                    case "missed-runs" -> !takesMissedRuns;
                    case "jitter-kind" -> settings.jitter() == null;
                    case "gap", "overlap" -> !hasFixedHours;
                    case "start-tolerance", "back-off.delay", "pause-after-failures" -> !schedule.isRepeating();
                    default -> false;
                })
                .map(setting -> setting.replace(".delay", ""))
                .toList();
    }

    // What follows from a schedule

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

    /** Returns the first start of a task that is re-timed now; null if its schedule determines it. */
    static @Nullable Instant firstRun(TaskSchedule schedule, Instant now) {
        if (schedule instanceof TaskSchedule.Once once) {
            return once.at();
        }
        Duration interval = startsByDelay(schedule) ? schedule.intervalAfter(now) : null;
        // Huge intervals are cut, as the executor does it.
        return interval == null ? null : now.plusNanos(TimeUnit.NANOSECONDS.convert(interval));
    }
}
