package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.internal.DurationWords;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Schedules in English words, such as {@code every weekday at 9:00}. An expression without good words is put field by
 * field. Only the zone is left out, and the fraction of a second of a single run.
 */
final class ScheduleWords {

    private ScheduleWords() {}

    /** Returns a schedule in words. */
    static String of(TaskSchedule schedule) {
        if (schedule instanceof TaskSchedule.Once once) {
            String second = once.at().truncatedTo(ChronoUnit.SECONDS).toString();
            return "once, at " + second.replace('T', ' ').replace("Z", " UTC");
        }
        if (schedule.isCron()) {
            return ofCron(schedule.text());
        }
        // A user's own trigger has none.
        Duration interval = schedule.intervalAfter(Instant.EPOCH);
        if (interval == null) {
            return "when " + schedule.text() + " says";
        }
        return schedule.countsFromEnd()
                ? DurationWords.exactly(interval) + " after each run"
                : "every " + DurationWords.interval(interval);
    }

    /** Returns a cron expression in words; as it is, if it has something that only Spring understands. */
    static String ofCron(String expression) {
        try {
            return inWords(CronFields.of(expression));
        } catch (RuntimeException ex) {
            return "cron " + expression;
        }
    }

    private static String inWords(CronFields cron) {
        CronDayWords days = new CronDayWords(cron);
        CronTimeWords times = new CronTimeWords(cron);
        if (!days.canBeSaid()) {
            return cron.asWritten();
        }
        if (!times.areFew()) {
            return times.repeated() + (days.isEachDay() ? "" : " " + days.behind()) + days.inMonths();
        }
        return days.areBothGiven()
                ? times.named() + " " + days.behind()
                : days.first() + " " + times.named() + days.inMonths();
    }
}
