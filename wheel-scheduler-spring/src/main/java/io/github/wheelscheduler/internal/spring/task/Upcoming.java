package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.PeriodicTrigger;
import org.springframework.scheduling.support.SimpleTriggerContext;

/**
 * The expected start of a task that has not started yet. No code of the user's is asked but the clock: of a trigger of
 * the user's own, nothing is known beyond the instant that it has named.
 *
 * @param period between starts that keep their phase; null for no such
 * @param cron names the instants; null if none of Spring's or ours does
 */
record Upcoming(
        TaskSchedule schedule,
        @Nullable Duration period,
        @Nullable TriggerTimes cron) {

    static Upcoming of(TaskSchedule schedule, Clock clock) {
        if (isKnownCron(schedule)) {
            return new Upcoming(schedule, null, timesOf(schedule, clock));
        }
        if (schedule instanceof TaskSchedule.FixedRate rate) {
            return keepingPhase(schedule, rate.period());
        }
        PeriodicTrigger periodic = periodicOf(schedule);
        return periodic != null && periodic.isFixedRate()
                ? keepingPhase(schedule, periodic.getPeriodDuration())
                : new Upcoming(schedule, null, null);
    }

    /**
     * Whether a cron of Spring's or ours names the instants. Of a subclass, the user may have written what it names.
     */
    static boolean isKnownCron(TaskSchedule schedule) {
        Trigger trigger = triggerOf(schedule);
        return schedule instanceof TaskSchedule.Cron || (trigger != null && trigger.getClass() == CronTrigger.class);
    }

    /** Returns the instants of such a cron. */
    static TriggerTimes timesOf(TaskSchedule schedule, Clock clock) {
        Trigger trigger = schedule instanceof TaskSchedule.Cron cron ? cron.toTrigger() : triggerOf(schedule);
        return new TriggerTimes(Objects.requireNonNull(trigger), clock);
    }

    private static @Nullable Trigger triggerOf(TaskSchedule schedule) {
        return schedule instanceof TaskSchedule.Calendar calendar ? calendar.trigger() : null;
    }

    private static @Nullable PeriodicTrigger periodicOf(TaskSchedule schedule) {
        return triggerOf(schedule) instanceof PeriodicTrigger trigger && trigger.getClass() == PeriodicTrigger.class
                ? trigger
                : null;
    }

    private static Upcoming keepingPhase(TaskSchedule schedule, Duration period) {
        // Spring's trigger accepts a period of zero, too: then it starts continuously.
        boolean hasNoOther = period.isZero() || TimeUnit.NANOSECONDS.convert(period) == Long.MAX_VALUE;
        return new Upcoming(schedule, hasNoOther ? null : period, null);
    }

    /** Returns the next starts of a task, up to the given number. The first may have passed, if it is late. */
    static List<Instant> of(TaskSeries task, int most) {
        Instant now = task.now();
        ScheduledFuture<?> timer = task.timer;
        List<Instant> starts = new ArrayList<>();
        if (most == 0 || timer == null || task.isDone() || task.isDisabled()) {
            return starts;
        }
        Instant due = due(task, timer, now);
        Upcoming following = of(task.schedule(), task.guard().book.timers.clock());
        if (isToCome(task, due, now)) {
            starts.add(due);
        }
        following.addFollowing(starts, due, due.isBefore(now) ? now : due, most);
        return starts;
    }

    /** Returns when the timer that a task has now is due, or was. */
    static Instant due(TaskSeries task, ScheduledFuture<?> timer, Instant now) {
        Instant exact = task.nextInstant();
        return exact != null ? exact : now.plusNanos(timer.getDelay(TimeUnit.NANOSECONDS));
    }

    /** Whether that run has not started: it is neither active nor held. */
    static boolean isToCome(TaskSeries task, Instant due, Instant now) {
        return TaskLook.isWaiting(task) || (due.isAfter(now) && !task.isHeld());
    }

    /** Returns when a task would start that is given this schedule now. */
    List<Instant> ifRetimed(Instant now, Clock clock, int most) {
        List<Instant> starts = new ArrayList<>();
        Instant first = SettledSchedule.firstRun(schedule, now);
        PeriodicTrigger periodic = periodicOf(schedule);
        if (periodic != null) {
            first = periodic.nextExecution(new SimpleTriggerContext(clock));
        }
        if (first != null && most > 0) {
            starts.add(first);
        }
        addFollowing(starts, first == null ? now : first, first == null ? now : first, most);
        return starts;
    }

    /** Adds starts after that instant until the given number is reached, or no more are known. */
    private void addFollowing(List<Instant> starts, Instant inPhase, Instant after, int most) {
        Instant next = after;
        while (starts.size() < most) {
            next = next(inPhase, next);
            if (next == null) {
                return;
            }
            starts.add(next);
        }
    }

    /**
     * Returns the start after that instant; null if none is known.
     *
     * @param inPhase any start
     */
    @Nullable
    Instant next(Instant inPhase, Instant after) {
        if (cron != null) {
            return cron.following(after);
        }
        if (period == null) {
            return null;
        }
        long periods = Math.floorDiv(
                TimeUnit.NANOSECONDS.convert(Duration.between(inPhase, after)), TimeUnit.NANOSECONDS.convert(period));
        return inPhase.plus(period.multipliedBy(periods + 1));
    }
}
