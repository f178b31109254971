package io.github.wheelscheduler.internal.spring.task;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.PeriodicTrigger;
import org.springframework.scheduling.support.SimpleTriggerContext;

/**
 * The instants that a trigger names, and the context in which it is asked for them. By the run that arms the next one.
 */
final class TriggerTimes extends SimpleTriggerContext {

    /** More instants of a cron than that are not counted when they have passed at once. */
    static final int MOST_COUNTED = 1_000;

    private static final int LONGEST_REPETITION_SECONDS = 3 * 3_600;

    final Trigger trigger;

    /** Whether it is a cron of Spring's, or ours, and no code of a user's, which is asked once for each run. */
    private final boolean isCron;

    TriggerTimes(Trigger trigger, Clock clock) {
        // Spring's crons ask for the zone before each run. A user's trigger sees the user's clock.
        super(isCron(trigger) ? new LastZoneClock(clock) : clock);
        this.trigger = trigger;
        this.isCron = isCron(trigger);
    }

    private static boolean isCron(Trigger trigger) {
        return trigger.getClass() == CronTrigger.class || trigger instanceof DaylightSavingTrigger;
    }

    /**
     * Returns the next instant; null if there is none.
     *
     * @param last the one before; null if there was none
     * @param restNanos for how long the task rests from the end of its last run on
     */
    @Nullable
    Instant next(@Nullable Instant last, long restNanos) {
        Instant next = restNanos == 0 ? trigger.nextExecution(this) : nextAfterRest(restNanos);
        return isCron && next != null && last != null ? nextAfter(last, next) : next;
    }

    /** Computes as if the run had lasted until the end of a rest, and ignores earlier instants. */
    private @Nullable Instant nextAfterRest(long restNanos) {
        Instant end = Objects.requireNonNull(lastCompletion()).plusNanos(restNanos);
        Instant next = ask(lastScheduledExecution(), lastActualExecution(), end.minusNanos(1));
        if (next == null || !next.isBefore(end)) {
            return next;
        }
        if (trigger.getClass() == PeriodicTrigger.class && ((PeriodicTrigger) trigger).isFixedRate()) {
            long periodNanos = ((PeriodicTrigger) trigger).getPeriodDuration().toNanos();
            long tooEarlyNanos = Duration.between(next, end).toNanos();
            // Spring's trigger takes a period of zero, too.
            return periodNanos == 0 ? end : next.plusNanos(((tooEarlyNanos - 1) / periodNanos + 1) * periodNanos);
        }
        return end;
    }

    private @Nullable Instant ask(
            @Nullable Instant lastScheduled, @Nullable Instant lastActual, @Nullable Instant lastCompletion) {
        SimpleTriggerContext then = new SimpleTriggerContext(getClock());
        then.update(lastScheduled, lastActual, lastCompletion);
        return trigger.nextExecution(then);
    }

    /**
     * Asks a cron again from ever later, if it has named an instant once more: Spring's does so for half an hour where
     * clocks go back by half an hour, as on Lord Howe Island.
     */
    private @Nullable Instant nextAfter(Instant last, Instant named) {
        Instant next = named;
        for (int seconds = 1; seconds <= LONGEST_REPETITION_SECONDS && next != null && !next.isAfter(last); seconds++) {
            next = ask(last, last, last.plusSeconds(seconds));
        }
        return next;
    }

    /** Returns the instant of a cron after that one; null if there is none, or the trigger is no cron. */
    @Nullable
    Instant following(Instant instant) {
        Instant following = isCron ? ask(instant, instant, instant) : null;
        return following == null ? null : nextAfter(instant, following);
    }

    /** Returns the instant put off, by as much as does not reach to the instant after it. */
    Instant putOff(Instant instant, long nanos) {
        if (nanos == 0 || instant.isAfter(Instant.MAX.minusNanos(nanos))) {
            return instant;
        }
        Instant later = instant.plusNanos(nanos);
        Instant following = following(instant);
        if (following == null || !following.isAfter(instant) || following.isAfter(later)) {
            return later;
        }
        return instant.plusNanos(
                nanos % Math.max(1, Duration.between(instant, following).toNanos()));
    }

    /**
     * Returns the maximum delay of a run's start, in nanoseconds. A run of a cron starts before its next instant, any
     * other within half a period. It is zero for a user's own trigger, unless the user has set it for that task.
     *
     * @param due the instant, with its jitter
     */
    long longestTolerance(Instant instant, Instant due, boolean isOwn) {
        if (trigger.getClass() == PeriodicTrigger.class) {
            return TimeUnit.NANOSECONDS.convert(((PeriodicTrigger) trigger).getPeriodDuration()) / 2;
        }
        Instant following = following(instant);
        if (following == null) {
            // There is no next instant of a cron.
            return isCron || isOwn ? Long.MAX_VALUE : 0;
        }
        return TimeUnit.NANOSECONDS.convert(Duration.between(due, following)) - 1;
    }

    /** Returns how many instants of a cron have passed after that one until the end; no more than are counted. */
    long passed(Instant last, Instant end) {
        // Instants of a cron are whole seconds apart.
        if (!isCron || end.getEpochSecond() <= last.getEpochSecond()) {
            return 0;
        }
        long passed = 0;
        Instant next = following(last);
        while (next != null && !next.isAfter(end) && passed < MOST_COUNTED) {
            passed++;
            next = following(next);
        }
        return passed;
    }

    /** A user's clock; while it fails to return its zone, the last known one is used. */
    private static final class LastZoneClock extends Clock {

        private final Clock clock;

        /** Null until one is known. Any thread; which of two concurrent values is kept does not matter. */
        private volatile @Nullable ZoneId last;

        LastZoneClock(Clock clock) {
            this.clock = clock;
        }

        @Override
        public Instant instant() {
            return clock.instant();
        }

        @Override
        public ZoneId getZone() {
            try {
                ZoneId zone = Objects.requireNonNull(clock.getZone(), "the zone of the clock must not be null");
                last = zone;
                return zone;
            } catch (RuntimeException ex) {
                ZoneId known = last;
                if (known == null) {
                    throw ex;
                }
                return known;
            }
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return clock.withZone(zone);
        }
    }
}
