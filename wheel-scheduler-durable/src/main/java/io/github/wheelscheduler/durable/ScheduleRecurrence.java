package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;

/** The schedule of a {@code @Scheduled} method, as the scheduler has settled it. */
public final class ScheduleRecurrence implements Recurrence {

    private static final Duration SHORTEST_PERIOD = Duration.ofMillis(1);

    private final TaskSchedule schedule;
    private final @Nullable Instant start;

    private ScheduleRecurrence(TaskSchedule schedule, @Nullable Instant start) {
        this.schedule = schedule;
        this.start = start;
    }

    /**
     * Returns the recurrence of a schedule.
     *
     * @param start when the first run of all is due, for a fixed rate or delay; null for at once
     * @throws IllegalArgumentException if it is none that goes on by itself: one run, or a trigger that is no cron expression
     */
    public static ScheduleRecurrence of(TaskSchedule schedule, @Nullable Instant start) {
        if (!(schedule instanceof TaskSchedule.FixedRate
                || schedule instanceof TaskSchedule.FixedDelay
                || schedule.isCron())) {
            throw new IllegalArgumentException(
                    "A durable schedule must be a cron expression, a fixed rate or a fixed delay, was "
                            + schedule.kind());
        }
        if (schedule instanceof TaskSchedule.FixedRate rate && rate.period().compareTo(SHORTEST_PERIOD) < 0) {
            throw new IllegalArgumentException("A durable fixed rate must be at least 1 ms, was " + rate.period());
        }
        // A trigger without a zone is asked with this machine's clock.
        return new ScheduleRecurrence(schedule.meantIn(ZoneId.systemDefault()), start);
    }

    /**
     * Returns the recurrence that a {@linkplain #text text} tells.
     *
     * @throws IllegalArgumentException if it is none
     */
    static ScheduleRecurrence parse(String text) {
        int kindEnd = text.indexOf(' ');
        String kind = kindEnd < 0 ? text : text.substring(0, kindEnd);
        String rest = text.substring(kindEnd + 1);
        try {
            return of(
                    switch (kind) {
                        case "fixed-rate" -> TaskSchedule.fixedRate(Duration.parse(rest));
                        case "fixed-delay" -> TaskSchedule.fixedDelay(Duration.parse(rest));
                        case "cron" -> cron(rest);
                        default ->
                            throw new IllegalArgumentException(
                                    "schedule must begin with fixed-rate, fixed-delay or cron, was " + text);
                    },
                    null);
        } catch (DateTimeException ex) {
            throw new IllegalArgumentException("schedule must be a kind and what belongs to it, was " + text, ex);
        }
    }

    private static TaskSchedule cron(String text) {
        int zoneStart = text.lastIndexOf(' ') + 1;
        return new TaskSchedule.Cron(
                text.substring(0, Math.max(0, zoneStart - 1)), ZoneId.of(text.substring(zoneStart)));
    }

    @Override
    public String text() {
        return schedule.kind() + " " + schedule.text() + zoneText();
    }

    @Nullable
    ZoneId zone() {
        return schedule.zone();
    }

    private String zoneText() {
        return schedule.zone() == null ? "" : " " + schedule.zone();
    }

    @Override
    public @Nullable Instant first(Instant now) {
        if (schedule.isCron()) {
            return after(now);
        }
        return start == null || start.isBefore(now) ? now : Arguments.after(now, Duration.between(now, start));
    }

    @Override
    public @Nullable Instant next(Instant dueAt, Instant endedAt) {
        if (schedule instanceof TaskSchedule.FixedRate rate) {
            return nextInPhase(dueAt, endedAt, rate.period());
        }
        if (schedule instanceof TaskSchedule.FixedDelay fixed) {
            return Arguments.after(endedAt, fixed.delay());
        }
        return after(endedAt.isAfter(dueAt) ? endedAt : dueAt);
    }

    /** Returns the next multiple of the period that is to come; the ones that have passed meanwhile are left out. */
    private static Instant nextInPhase(Instant dueAt, Instant now, Duration period) {
        Instant next = Arguments.after(dueAt, period);
        if (next.isAfter(now)) {
            return next;
        }
        long passed = Duration.between(dueAt, now).dividedBy(period);
        return dueAt.plus(period.multipliedBy(passed + 1));
    }

    private @Nullable Instant after(Instant time) {
        Trigger trigger = schedule instanceof TaskSchedule.Cron cron
                ? cron.toTrigger()
                : ((TaskSchedule.Calendar) schedule).trigger();
        return trigger.nextExecution(new After(time));
    }

    /** As if the last run had been at that time. */
    private record After(Instant time) implements TriggerContext {

        @Override
        public Instant lastScheduledExecution() {
            return time;
        }

        @Override
        public Instant lastActualExecution() {
            return time;
        }

        @Override
        public Instant lastCompletion() {
            return time;
        }
    }
}
