package io.github.wheelscheduler.sample;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/** When the runs of a task are due. */
sealed interface Timetable {

    /** Returns when the first run is due if the task was scheduled at that time, or null if never. */
    @Nullable
    Instant firstDue(Instant scheduled);

    /** Returns when the run is due that follows the one which was due and has ended at those times, or null if none. */
    @Nullable
    Instant nextDue(Instant due, Instant ended);

    /** Says it in words. */
    String text();

    /** Returns how many runs are due in a time if each takes that long and none is late. */
    default int countDue(Instant scheduled, Instant until, Duration takes) {
        int count = 0;
        Instant due = firstDue(scheduled);
        while (due != null && !due.isAfter(until)) {
            count++;
            due = nextDue(due, due.plus(takes));
        }
        return count;
    }

    /** Fixed rate, from the start on. */
    record Every(Duration period) implements Timetable {

        @Override
        public Instant firstDue(Instant scheduled) {
            return scheduled;
        }

        @Override
        public Instant nextDue(Instant due, Instant ended) {
            return due.plus(period);
        }

        @Override
        public String text() {
            return "every " + Texts.of(period);
        }
    }

    /** Fixed delay, from the start on. */
    record AfterEachRun(Duration delay) implements Timetable {

        @Override
        public Instant firstDue(Instant scheduled) {
            return scheduled;
        }

        @Override
        public Instant nextDue(Instant due, Instant ended) {
            return ended.plus(delay);
        }

        @Override
        public String text() {
            return Texts.of(delay) + " after each run";
        }
    }

    /** A cron expression. */
    record Cron(CronExpression expression, ZoneId zone) implements Timetable {

        @Override
        public @Nullable Instant firstDue(Instant scheduled) {
            ZonedDateTime next = expression.next(scheduled.atZone(zone));
            return next == null ? null : next.toInstant();
        }

        @Override
        public @Nullable Instant nextDue(Instant due, Instant ended) {
            return firstDue(ended.isAfter(due) ? ended : due);
        }

        @Override
        public String text() {
            return "cron " + expression;
        }
    }

    /** One time. */
    record Once(Duration delay) implements Timetable {

        @Override
        public Instant firstDue(Instant scheduled) {
            return scheduled.plus(delay);
        }

        @Override
        public @Nullable Instant nextDue(Instant due, Instant ended) {
            return null;
        }

        @Override
        public String text() {
            return "once, after " + Texts.of(delay);
        }
    }
}
