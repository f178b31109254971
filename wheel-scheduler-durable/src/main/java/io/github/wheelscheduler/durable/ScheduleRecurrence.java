package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.durable.internal.Arguments;
import io.github.wheelscheduler.internal.spring.task.ScheduleText;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.support.SimpleTriggerContext;

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
     * @throws IllegalArgumentException if it is none that goes on by itself: one run, or a trigger that is no cron
     *     expression
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

    @Override
    public String text() {
        return of(schedule.text());
    }

    private String of(String text) {
        return schedule.kind() + " " + text + (schedule.zone() == null ? "" : " " + schedule.zone());
    }

    @Nullable
    ZoneId zone() {
        return schedule.zone();
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
        Duration step = Duration.between(dueAt, next);
        long passed = Duration.between(dueAt, now).dividedBy(step);
        return dueAt.plus(step.multipliedBy(passed + 1));
    }

    private @Nullable Instant after(Instant time) {
        Trigger trigger = schedule instanceof TaskSchedule.Cron cron
                ? cron.toTrigger()
                : ((TaskSchedule.Calendar) schedule).trigger();
        // As if the last run had been at that time.
        return trigger.nextExecution(new SimpleTriggerContext(time, time, time));
    }

    /** Returns the text as the log says it. */
    @Override
    public String toString() {
        return of(ScheduleText.of(schedule));
    }
}
