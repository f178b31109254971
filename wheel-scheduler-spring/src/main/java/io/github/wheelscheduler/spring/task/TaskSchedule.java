package io.github.wheelscheduler.spring.task;

import static io.github.wheelscheduler.internal.DurationWords.exactly;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.internal.spring.task.CronZones;
import io.github.wheelscheduler.internal.spring.task.DaylightSavingTrigger;
import io.github.wheelscheduler.spring.settings.Gap;
import io.github.wheelscheduler.spring.settings.Overlap;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.PeriodicTrigger;

/** When a task runs. */
public sealed interface TaskSchedule {

    /**
     * Returns the kind in a word: {@code fixed-rate}, {@code fixed-delay}, {@code cron}, {@code trigger} or {@code
     * once}.
     */
    default String kind() {
        return isCron() ? "cron" : "trigger";
    }

    /** Returns the schedule in a few words, without its kind, such as {@code PT5S} or a cron expression. */
    String text();

    /**
     * Returns how long it is from the first run after that instant to the one that follows; null if that is not known.
     */
    default @Nullable Duration intervalAfter(Instant instant) {
        return null;
    }

    /** Returns the zone of a cron expression; null if it has none, the zone is unknown, or there is no expression. */
    default @Nullable ZoneId zone() {
        return null;
    }

    /** Returns this schedule, with that zone if it is a cron expression without one. */
    default TaskSchedule meantIn(ZoneId usualZone) {
        return this;
    }

    /** Whether the time to the next run counts from the end of the one before. */
    default boolean countsFromEnd() {
        return false;
    }

    /** Whether a cron expression names its instants. */
    default boolean isCron() {
        return false;
    }

    /** Whether one run follows the other. */
    default boolean isRepeating() {
        return true;
    }

    /**
     * Returns a schedule of deadlines that are a period apart.
     *
     * @throws IllegalArgumentException if the period is not positive
     */
    static TaskSchedule fixedRate(Duration period) {
        return new FixedRate(period);
    }

    /**
     * Returns a schedule of runs of which each starts the delay after the end of the one before.
     *
     * @throws IllegalArgumentException if the delay is not positive
     */
    static TaskSchedule fixedDelay(Duration delay) {
        return new FixedDelay(delay);
    }

    /**
     * Returns a schedule of instants that a cron expression names: in the zone of the scheduler's clock or, if a cron
     * task is re-timed to it, in the zone that the task had.
     *
     * @throws IllegalArgumentException if Spring does not understand the expression
     */
    static TaskSchedule cron(String expression) {
        return trigger(new CronTrigger(expression));
    }

    /**
     * Returns a schedule of instants that a cron expression names in a time zone.
     *
     * @throws IllegalArgumentException if Spring does not understand the expression
     */
    static TaskSchedule cron(String expression, ZoneId zone) {
        return new Cron(expression, zone);
    }

    /**
     * Returns a schedule of the instants that a trigger names; a cron trigger without a zone is meant as {@link
     * #cron(String)}.
     */
    static TaskSchedule trigger(Trigger trigger) {
        return new Calendar(trigger, null);
    }

    /**
     * Returns a schedule of the instants that a trigger names.
     *
     * @param usualZone in which a cron expression without a zone is meant
     */
    static TaskSchedule trigger(Trigger trigger, ZoneId usualZone) {
        return new Calendar(trigger, usualZone);
    }

    /** Returns a schedule of one run. */
    static TaskSchedule once(Instant at) {
        return new Once(at);
    }

    /**
     * Deadlines that are a period apart.
     *
     * @param period positive
     */
    record FixedRate(Duration period) implements TaskSchedule {

        public FixedRate {
            requirePositive("period", period);
        }

        @Override
        public String kind() {
            return "fixed-rate";
        }

        @Override
        public String text() {
            return period.toString();
        }

        @Override
        public Duration intervalAfter(Instant instant) {
            return period;
        }
    }

    /**
     * Runs of which each starts the delay after the end of the one before.
     *
     * @param delay positive
     */
    record FixedDelay(Duration delay) implements TaskSchedule {

        public FixedDelay {
            requirePositive("delay", delay);
        }

        @Override
        public boolean countsFromEnd() {
            return true;
        }

        @Override
        public String kind() {
            return "fixed-delay";
        }

        @Override
        public String text() {
            return delay.toString();
        }

        @Override
        public Duration intervalAfter(Instant instant) {
            return delay;
        }
    }

    /**
     * The instants that a cron expression names.
     *
     * @param expression as Spring understands it
     * @param zone in which it is meant
     * @param gap the treatment of times of day that do not exist; null for Spring's treatment
     * @param overlap the treatment of times of day that occur twice; null for Spring's treatment
     */
    record Cron(
            String expression,
            ZoneId zone,
            @Nullable Gap gap,
            @Nullable Overlap overlap) implements TaskSchedule {

        /** Returns one that Spring decides for when clocks change. */
        public Cron(String expression, ZoneId zone) {
            this(expression, zone, null, null);
        }

        public Cron {
            Objects.requireNonNull(expression, "expression must not be null");
            Objects.requireNonNull(zone, "zone must not be null");
            CronExpression ignored = CronExpression.parse(expression);
        }

        /** Returns a trigger for these instants: Spring's, unless clock changes are treated otherwise. */
        public Trigger toTrigger() {
            if ((gap == null && overlap == null) || !DaylightSavingTrigger.hasFixedHours(expression)) {
                return new CronTrigger(expression, zone);
            }
            return new DaylightSavingTrigger(
                    expression, zone, gap == null ? Gap.SKIP : gap, overlap == null ? Overlap.FIRST : overlap);
        }

        @Override
        public boolean isCron() {
            return true;
        }

        @Override
        public String text() {
            return expression;
        }

        @Override
        public @Nullable Duration intervalAfter(Instant instant) {
            return cronInterval(expression, instant.atZone(zone));
        }
    }

    /** The instants that a trigger names. */
    final class Calendar implements TaskSchedule {

        private final Trigger trigger;

        /** The zone of an expression without one; null for that of the scheduler. */
        private final @Nullable ZoneId usualZone;

        /** Empty if it is not known; null before the first question. */
        @SuppressWarnings("NullableOptional") // null and empty say different things
        private volatile @Nullable Optional<ZoneId> zone;

        private Calendar(Trigger trigger, @Nullable ZoneId usualZone) {
            this.trigger = Objects.requireNonNull(trigger, "trigger must not be null");
            this.usualZone = usualZone;
        }

        /**
         * Returns Spring's trigger for a period; null for a subclass, a user's code, which is only asked for its next
         * instant.
         */
        private @Nullable PeriodicTrigger periodic() {
            return trigger.getClass() == PeriodicTrigger.class ? (PeriodicTrigger) trigger : null;
        }

        @Override
        public boolean countsFromEnd() {
            PeriodicTrigger periodic = periodic();
            return periodic != null && !periodic.isFixedRate();
        }

        @Override
        public TaskSchedule meantIn(ZoneId other) {
            if (usualZone == null) {
                return new Calendar(trigger, other);
            }
            // Where the trigger says no zone, it would go by the clock that it is asked with.
            return usualZone.equals(other) || trigger.getClass() != CronTrigger.class || !CronZones.isOpen(trigger)
                    ? this
                    : new Cron(cronExpression(), usualZone);
        }

        /** Returns the trigger. */
        public Trigger trigger() {
            return trigger;
        }

        /** Returns the trigger's cron expression, if it is known to have one; else an empty text. */
        public String cronExpression() {
            return trigger instanceof CronTrigger cron ? cron.getExpression() : "";
        }

        @Override
        public @Nullable ZoneId zone() {
            Optional<ZoneId> known = zone;
            if (known == null) {
                // Takes long, so it is not done before the first question.
                known = trigger instanceof CronTrigger cron
                        ? Optional.ofNullable(CronZones.of(cron, usualZone))
                        : Optional.empty();
                zone = known;
            }
            return known.orElse(null);
        }

        @Override
        public boolean isCron() {
            return trigger instanceof CronTrigger;
        }

        @Override
        public String text() {
            PeriodicTrigger periodic = periodic();
            if (periodic == null) {
                return isCron() ? cronExpression() : NamedTask.of(trigger);
            }
            Duration period = periodic.getPeriodDuration();
            return periodic.isFixedRate() ? "every " + exactly(period) : exactly(period) + " after each run";
        }

        @Override
        public @Nullable Duration intervalAfter(Instant instant) {
            if (!isCron()) {
                PeriodicTrigger periodic = periodic();
                return periodic == null ? null : periodic.getPeriodDuration();
            }
            // Without the zone, the interval is the same but where clocks change.
            ZoneId known = zone();
            return cronInterval(cronExpression(), instant.atZone(known == null ? ZoneOffset.UTC : known));
        }

        @Override
        public boolean equals(@Nullable Object object) {
            return object instanceof Calendar other
                    && trigger.equals(other.trigger)
                    && Objects.equals(usualZone, other.usualZone);
        }

        @Override
        public int hashCode() {
            return trigger.hashCode();
        }

        /** The text of a trigger may contain a secret. */
        @Override
        public String toString() {
            return kind() + " " + text();
        }
    }

    /**
     * One run.
     *
     * @param at when it is due
     */
    record Once(Instant at) implements TaskSchedule {

        public Once {
            Objects.requireNonNull(at, "at must not be null");
        }

        @Override
        public String kind() {
            return "once";
        }

        @Override
        public String text() {
            return at.toString();
        }

        @Override
        public boolean isRepeating() {
            return false;
        }
    }

    private static @Nullable Duration cronInterval(String expression, ZonedDateTime from) {
        CronExpression cron = CronExpression.parse(expression);
        ZonedDateTime next = cron.next(from);
        ZonedDateTime following = next == null ? null : cron.next(next);
        return following == null ? null : Duration.between(next, following);
    }

    private static void requirePositive(String what, Duration value) {
        Objects.requireNonNull(value, what + " must not be null");
        if (value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException(what + " must be positive, was " + value);
        }
    }
}
