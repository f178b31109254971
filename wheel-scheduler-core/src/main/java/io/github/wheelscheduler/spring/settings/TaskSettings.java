package io.github.wheelscheduler.spring.settings;

import io.github.wheelscheduler.UnusableSettingException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/**
 * What is set for a task beside its schedule, or in place of it. What is null is not set. Immutable.
 *
 * <pre>{@code
 * scheduler.getTaskCatalog().set("import", TaskSettings.builder()
 *         .missedRuns(MissedRuns.LATEST)
 *         .backOff(BackOff.of(Duration.ofSeconds(10)))
 *         .pauseAfterFailures(20)
 *         .build());
 * }</pre>
 */
public final class TaskSettings {

    /** Nothing is set. */
    public static final TaskSettings NONE = builder().build();

    private final @Nullable Boolean enabled;
    private final @Nullable String cron;
    private final @Nullable ZoneId zone;
    private final @Nullable Duration fixedRate;
    private final @Nullable Duration fixedDelay;
    private final @Nullable Duration initialDelay;
    private final @Nullable MissedRuns missedRuns;
    private final @Nullable Duration jitter;
    private final @Nullable JitterKind jitterKind;
    private final @Nullable Gap gap;
    private final @Nullable Overlap overlap;
    private final @Nullable Duration timeLimit;
    private final @Nullable Duration backOffDelay;
    private final @Nullable Double backOffMultiplier;
    private final @Nullable Duration backOffMaxDelay;
    private final @Nullable Integer pauseAfterFailures;
    private final Map<String, String> asMap;

    private TaskSettings(Builder builder) {
        this.enabled = builder.enabled;
        this.cron = builder.cron;
        this.zone = builder.zone;
        this.fixedRate = builder.fixedRate;
        this.fixedDelay = builder.fixedDelay;
        this.initialDelay = builder.initialDelay;
        this.missedRuns = builder.missedRuns;
        this.jitter = builder.jitter;
        this.jitterKind = builder.jitterKind;
        this.gap = builder.gap;
        this.overlap = builder.overlap;
        this.timeLimit = builder.timeLimit;
        this.backOffDelay = builder.backOffDelay;
        this.backOffMultiplier = builder.backOffMultiplier;
        this.backOffMaxDelay = builder.backOffMaxDelay;
        this.pauseAfterFailures = builder.pauseAfterFailures;
        this.asMap = Collections.unmodifiableMap(newMap());
    }

    /** Returns a builder of settings, with nothing set. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns these settings with those put over them that are set there. A schedule there replaces all of the schedule here. */
    public TaskSettings overlaidWith(TaskSettings over) {
        if (isNothing()) {
            return over;
        }
        if (over.isNothing()) {
            return this;
        }
        Builder merged = builder();
        merged.enabled = first(over.enabled, enabled);
        boolean hasSchedule = over.cron != null || over.fixedRate != null || over.fixedDelay != null;
        merged.cron = hasSchedule ? over.cron : cron;
        merged.fixedRate = hasSchedule ? over.fixedRate : fixedRate;
        merged.fixedDelay = hasSchedule ? over.fixedDelay : fixedDelay;
        merged.zone = first(over.zone, zone);
        merged.initialDelay = first(over.initialDelay, initialDelay);
        merged.missedRuns = first(over.missedRuns, missedRuns);
        merged.jitter = first(over.jitter, jitter);
        merged.jitterKind = first(over.jitterKind, jitterKind);
        merged.gap = first(over.gap, gap);
        merged.overlap = first(over.overlap, overlap);
        merged.timeLimit = first(over.timeLimit, timeLimit);
        merged.backOffDelay = first(over.backOffDelay, backOffDelay);
        merged.backOffMultiplier = first(over.backOffMultiplier, backOffMultiplier);
        merged.backOffMaxDelay = first(over.backOffMaxDelay, backOffMaxDelay);
        merged.pauseAfterFailures = first(over.pauseAfterFailures, pauseAfterFailures);
        return merged.build();
    }

    private static <T> @Nullable T first(@Nullable T one, @Nullable T other) {
        return one != null ? one : other;
    }

    /** Whether nothing is set. */
    public boolean isNothing() {
        return asMap.isEmpty();
    }

    /** Returns what is set, by the names of properties, in the words of properties; in a fixed order. */
    public Map<String, String> toMap() {
        return asMap;
    }

    private Map<String, String> newMap() {
        Map<String, String> set = new LinkedHashMap<>();
        put(set, "enabled", enabled);
        put(set, "cron", cron);
        put(set, "zone", zone);
        put(set, "fixed-rate", fixedRate);
        put(set, "fixed-delay", fixedDelay);
        put(set, "initial-delay", initialDelay);
        put(set, "missed-runs", missedRuns);
        put(set, "jitter", jitter);
        put(set, "jitter-kind", jitterKind);
        put(set, "gap", gap);
        put(set, "overlap", overlap);
        put(set, "time-limit", timeLimit);
        put(set, "back-off.delay", backOffDelay);
        put(set, "back-off.multiplier", backOffMultiplier);
        put(set, "back-off.max-delay", backOffMaxDelay);
        put(set, "pause-after-failures", pauseAfterFailures);
        return set;
    }

    private static void put(Map<String, String> set, String name, @Nullable Object value) {
        if (value instanceof Enum<?> constant) {
            set.put(name, constant.name().toLowerCase(Locale.ROOT).replace('_', '-'));
        } else if (value != null) {
            set.put(name, value.toString());
        }
    }

    /** Returns whether the task runs at all. */
    public @Nullable Boolean enabled() {
        return enabled;
    }

    /** Returns the cron expression that replaces its schedule; {@code -} for none, so that it never runs. */
    public @Nullable String cron() {
        return cron;
    }

    /** Returns the zone in which its cron expression is meant, whatever zone that comes with. */
    public @Nullable ZoneId zone() {
        return zone;
    }

    /** Returns the period that replaces its schedule. */
    public @Nullable Duration fixedRate() {
        return fixedRate;
    }

    /** Returns the delay between runs that replaces its schedule. */
    public @Nullable Duration fixedDelay() {
        return fixedDelay;
    }

    /** Returns how long after it is scheduled its first run is due; not for crons. */
    public @Nullable Duration initialDelay() {
        return initialDelay;
    }

    /** Returns what becomes of runs that are missed. */
    public @Nullable MissedRuns missedRuns() {
        return missedRuns;
    }

    /** Returns how much later than it is due each run starts at most; never earlier. The phase stays. */
    public @Nullable Duration jitter() {
        return jitter;
    }

    /** Returns how the jitter is chosen; random if it is not set. */
    public @Nullable JitterKind jitterKind() {
        return jitterKind;
    }

    /** Returns what becomes of runs at times of day that do not exist. */
    public @Nullable Gap gap() {
        return gap;
    }

    /** Returns what becomes of runs at times of day that come twice. */
    public @Nullable Overlap overlap() {
        return overlap;
    }

    /** Returns how long a run may take before its thread is interrupted: 10 minutes for {@code PT10M}. */
    public @Nullable Duration timeLimit() {
        return timeLimit;
    }

    /**
     * Returns for how long the task rests after failures. What is not set of it is as {@link BackOff#of} has it.
     *
     * @throws UnusableSettingException if the delay is not set though something else of it is, or is longer than the longest rest
     */
    public @Nullable BackOff backOff() {
        if (backOffDelay == null) {
            UnusableSettingException.unless(
                    backOffMultiplier == null && backOffMaxDelay == null,
                    "back-off.delay",
                    null,
                    "must be set where anything of the back-off is",
                    "10s");
            return null;
        }
        BackOff usual = BackOff.of(backOffDelay);
        return new BackOff(
                backOffDelay,
                backOffMultiplier == null ? usual.multiplier() : backOffMultiplier,
                backOffMaxDelay == null ? usual.maxDelay() : backOffMaxDelay);
    }

    /** Returns these settings with all of the back-off, if there is one. */
    TaskSettings complete() {
        BackOff all = backOff();
        return all == null || (backOffMultiplier != null && backOffMaxDelay != null)
                ? this
                : overlaidWith(
                        builder().backOff(all).backOffMaxDelay(all.maxDelay()).build());
    }

    /**
     * Returns after how many failures in a row the task is paused: with 3, it does not run a fourth time until somebody resumes it, or
     * triggers it and that run succeeds. 0 for never.
     */
    public @Nullable Integer pauseAfterFailures() {
        return pauseAfterFailures;
    }

    @Override
    public boolean equals(@Nullable Object object) {
        return object instanceof TaskSettings other && toMap().equals(other.toMap());
    }

    @Override
    public int hashCode() {
        return toMap().hashCode();
    }

    @Override
    public String toString() {
        return toMap().toString();
    }

    /** Takes settings one by one. Each method throws an {@link UnusableSettingException} if the value cannot work; null for not set. */
    public static final class Builder {

        private @Nullable Boolean enabled;
        private @Nullable String cron;
        private @Nullable ZoneId zone;
        private @Nullable Duration fixedRate;
        private @Nullable Duration fixedDelay;
        private @Nullable Duration initialDelay;
        private @Nullable MissedRuns missedRuns;
        private @Nullable Duration jitter;
        private @Nullable JitterKind jitterKind;
        private @Nullable Gap gap;
        private @Nullable Overlap overlap;
        private @Nullable Duration timeLimit;
        private @Nullable Duration backOffDelay;
        private @Nullable Double backOffMultiplier;
        private @Nullable Duration backOffMaxDelay;
        private @Nullable Integer pauseAfterFailures;

        private Builder() {}

        /** Sets whether the task runs at all. One that does not is listed, and can be triggered or resumed. */
        public Builder enabled(@Nullable Boolean enabled) {
            this.enabled = enabled;
            return this;
        }

        /** Sets a cron expression in place of its schedule, or {@code -} for none. */
        public Builder cron(@Nullable String cron) {
            UnusableSettingException.unless(
                    cron == null || cron.equals("-") || CronExpression.isValidExpression(cron),
                    "cron",
                    cron,
                    "must be a cron expression of six fields, or -",
                    "0 0 * * * *");
            this.cron = cron;
            return this;
        }

        /** Sets the zone in which its cron expression is meant, its own, that above or one that it is re-timed to; whatever zone that has. */
        public Builder zone(@Nullable ZoneId zone) {
            this.zone = zone;
            return this;
        }

        /** Sets a period in place of its schedule. */
        public Builder fixedRate(@Nullable Duration fixedRate) {
            requirePositive("fixed-rate", fixedRate, "5s");
            this.fixedRate = fixedRate;
            return this;
        }

        /** Sets a delay between runs in place of its schedule. */
        public Builder fixedDelay(@Nullable Duration fixedDelay) {
            requirePositive("fixed-delay", fixedDelay, "5s");
            this.fixedDelay = fixedDelay;
            return this;
        }

        /** Sets how long after it is scheduled its first run is due. */
        public Builder initialDelay(@Nullable Duration initialDelay) {
            requireNotNegative("initial-delay", initialDelay, "10s");
            this.initialDelay = initialDelay;
            return this;
        }

        /** Sets what becomes of runs that are missed. */
        public Builder missedRuns(@Nullable MissedRuns missedRuns) {
            this.missedRuns = missedRuns;
            return this;
        }

        /** Sets how much later than it is due each run starts at most. */
        public Builder jitter(@Nullable Duration jitter) {
            requireNotNegative("jitter", jitter, "5s");
            this.jitter = jitter;
            return this;
        }

        /** Sets how the jitter is chosen. */
        public Builder jitterKind(@Nullable JitterKind jitterKind) {
            this.jitterKind = jitterKind;
            return this;
        }

        /** Sets what becomes of runs at times of day that do not exist. */
        public Builder gap(@Nullable Gap gap) {
            this.gap = gap;
            return this;
        }

        /** Sets what becomes of runs at times of day that come twice. */
        public Builder overlap(@Nullable Overlap overlap) {
            this.overlap = overlap;
            return this;
        }

        /** Sets how long a run may take before its thread is interrupted. */
        public Builder timeLimit(@Nullable Duration timeLimit) {
            requirePositive("time-limit", timeLimit, "10m");
            this.timeLimit = timeLimit;
            return this;
        }

        /** Sets for how long the task rests after failures. A longest rest that is the usual one counts as not set. */
        public Builder backOff(@Nullable BackOff backOff) {
            boolean isUsual = backOff == null
                    || backOff.maxDelay().equals(BackOff.of(backOff.delay()).maxDelay());
            this.backOffDelay = backOff == null ? null : backOff.delay();
            this.backOffMultiplier = backOff == null ? null : backOff.multiplier();
            this.backOffMaxDelay = backOff == null || isUsual ? null : backOff.maxDelay();
            return this;
        }

        /** Sets how long the rest after the first failure is. */
        public Builder backOffDelay(@Nullable Duration delay) {
            requirePositive("back-off.delay", delay, "10s");
            this.backOffDelay = delay;
            return this;
        }

        /** Sets how many times longer each rest is than the one before. Needs a delay, here or below. */
        public Builder backOffMultiplier(@Nullable Double multiplier) {
            BackOff.checkMultiplier(multiplier == null ? BackOff.DEFAULT_MULTIPLIER : multiplier);
            this.backOffMultiplier = multiplier;
            return this;
        }

        /** Sets the longest rest. Needs a delay, here or below. */
        public Builder backOffMaxDelay(@Nullable Duration maxDelay) {
            requirePositive("back-off.max-delay", maxDelay, "1h");
            this.backOffMaxDelay = maxDelay;
            return this;
        }

        /** Sets after how many failures in a row the task is paused; 0 for never. */
        public Builder pauseAfterFailures(@Nullable Integer pauseAfterFailures) {
            UnusableSettingException.unless(
                    pauseAfterFailures == null || pauseAfterFailures >= 0,
                    "pause-after-failures",
                    pauseAfterFailures,
                    "must not be negative",
                    "10");
            this.pauseAfterFailures = pauseAfterFailures;
            return this;
        }

        /**
         * Returns the settings.
         *
         * @throws UnusableSettingException if they name more than one schedule
         */
        public TaskSettings build() {
            requireAlone("fixed-rate", fixedRate, cron, fixedDelay);
            requireAlone("fixed-delay", fixedDelay, cron, fixedRate);
            return new TaskSettings(this);
        }

        private static void requireAlone(
                String setting, @Nullable Duration value, @Nullable Object other, @Nullable Object third) {
            UnusableSettingException.unless(
                    value == null || (other == null && third == null),
                    setting,
                    value,
                    "must be the only one of cron, fixed-rate and fixed-delay",
                    String.valueOf(value));
        }

        private static void requirePositive(String setting, @Nullable Duration value, String example) {
            UnusableSettingException.unless(
                    value == null || value.compareTo(Duration.ZERO) > 0, setting, value, "must be positive", example);
        }

        private static void requireNotNegative(String setting, @Nullable Duration value, String example) {
            UnusableSettingException.unless(
                    value == null || !value.isNegative(), setting, value, "must not be negative", example);
        }
    }
}
