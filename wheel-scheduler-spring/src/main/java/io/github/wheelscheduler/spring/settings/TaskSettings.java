package io.github.wheelscheduler.spring.settings;

import io.github.wheelscheduler.UnusableSettingException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a task, beside its schedule or in place of it. A setting that is not set is null. Immutable.
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

    private final Map<TaskSetting, Object> values;

    private TaskSettings(Map<TaskSetting, Object> values) {
        this.values = values;
    }

    /** Returns a builder of settings, with nothing set. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns the settings that a source has.
     *
     * @param source returns the value for the name of a setting, as written in properties, and its type; null if it is
     *     not set
     * @throws UnusableSettingException if a value cannot work, or there is more than one schedule
     */
    public static TaskSettings of(BiFunction<String, Class<?>, @Nullable Object> source) {
        Builder builder = builder();
        for (TaskSetting setting : TaskSetting.values()) {
            Builder ignored = builder.set(setting, source.apply(setting.property(), setting.type()));
        }
        return builder.build();
    }

    /**
     * Returns these settings with those put over them that are set there. A schedule there replaces all of the schedule
     * here.
     */
    public TaskSettings overlaidWith(TaskSettings over) {
        if (isNothing()) {
            return over;
        }
        if (over.isNothing()) {
            return this;
        }
        Map<TaskSetting, Object> merged = new EnumMap<>(values);
        if (over.values.keySet().stream().anyMatch(TaskSetting::isSchedule)) {
            boolean ignored = merged.keySet().removeIf(TaskSetting::isSchedule);
        }
        merged.putAll(over.values);
        return new TaskSettings(merged);
    }

    /** Whether nothing is set. */
    public boolean isNothing() {
        return values.isEmpty();
    }

    /** Returns the settings by the names of properties, as written in properties, in a fixed order. */
    public Map<String, String> toMap() {
        Map<String, String> set = new LinkedHashMap<>();
        values.forEach((setting, value) -> set.put(setting.property(), TaskSetting.textOf(value)));
        return set;
    }

    private <T> @Nullable T get(Class<T> type, TaskSetting setting) {
        return type.cast(values.get(setting));
    }

    /** Returns whether the task runs at all. */
    public @Nullable Boolean enabled() {
        return get(Boolean.class, TaskSetting.ENABLED);
    }

    /** Returns the cron expression that replaces its schedule; {@code -} for none, so that it never runs. */
    public @Nullable String cron() {
        return get(String.class, TaskSetting.CRON);
    }

    /** Returns the zone in which its cron expression is meant, also one that comes with another zone. */
    public @Nullable ZoneId zone() {
        return get(ZoneId.class, TaskSetting.ZONE);
    }

    /** Returns the period that replaces its schedule. */
    public @Nullable Duration fixedRate() {
        return get(Duration.class, TaskSetting.FIXED_RATE);
    }

    /** Returns the delay between runs that replaces its schedule. */
    public @Nullable Duration fixedDelay() {
        return get(Duration.class, TaskSetting.FIXED_DELAY);
    }

    /** Returns how long after it is scheduled its first run is due; not for crons. */
    public @Nullable Duration initialDelay() {
        return get(Duration.class, TaskSetting.INITIAL_DELAY);
    }

    /** Returns the treatment of missed runs. */
    public @Nullable MissedRuns missedRuns() {
        return get(MissedRuns.class, TaskSetting.MISSED_RUNS);
    }

    /** Returns how much later than it is due each run starts at most; never earlier. The phase stays. */
    public @Nullable Duration jitter() {
        return get(Duration.class, TaskSetting.JITTER);
    }

    /** Returns how the jitter is chosen; random if it is not set. */
    public @Nullable JitterKind jitterKind() {
        return get(JitterKind.class, TaskSetting.JITTER_KIND);
    }

    /** Returns how late a run may start so that it shares a wake-up with others; zero disables it. */
    public @Nullable Duration startTolerance() {
        return get(Duration.class, TaskSetting.START_TOLERANCE);
    }

    /** Returns the treatment of runs at times of day that do not exist. */
    public @Nullable Gap gap() {
        return get(Gap.class, TaskSetting.GAP);
    }

    /** Returns the treatment of runs at times of day that occur twice. */
    public @Nullable Overlap overlap() {
        return get(Overlap.class, TaskSetting.OVERLAP);
    }

    /** Returns how long a run may take before its thread is interrupted: 10 minutes for {@code PT10M}. */
    public @Nullable Duration timeLimit() {
        return get(Duration.class, TaskSetting.TIME_LIMIT);
    }

    /**
     * Returns for how long the task rests after failures. Parts that are not set are as {@link BackOff#of} has them.
     *
     * @throws UnusableSettingException if other parts of it are set without the delay, or the delay is longer than the
     *     longest rest
     */
    public @Nullable BackOff backOff() {
        Duration delay = get(Duration.class, TaskSetting.BACK_OFF_DELAY);
        Double multiplier = get(Double.class, TaskSetting.BACK_OFF_MULTIPLIER);
        Duration maxDelay = get(Duration.class, TaskSetting.BACK_OFF_MAX_DELAY);
        if (delay == null) {
            UnusableSettingException.unless(
                    multiplier == null && maxDelay == null,
                    TaskSetting.BACK_OFF_DELAY.property(),
                    null,
                    "must be set where anything of the back-off is",
                    "10s");
            return null;
        }
        BackOff usual = BackOff.of(delay);
        return new BackOff(
                delay,
                multiplier == null ? usual.multiplier() : multiplier,
                maxDelay == null ? usual.maxDelay() : maxDelay);
    }

    /** Returns the settings that follow from the delay of the back-off, if no more of it is set. */
    TaskSettings usual() {
        BackOff all = backOff();
        if (all == null) {
            return NONE;
        }
        BackOff usual = BackOff.of(all.delay());
        return builder()
                .backOffMultiplier(usual.multiplier())
                .backOffMaxDelay(usual.maxDelay())
                .build();
    }

    /** Returns these settings with all of the back-off, if there is one. */
    TaskSettings complete() {
        BackOff all = isNothing() ? null : backOff();
        return all == null
                ? this
                : overlaidWith(
                        builder().backOff(all).backOffMaxDelay(all.maxDelay()).build());
    }

    /**
     * Returns after how many failures in a row the task is paused: with 3, it does not run a fourth time until it is
     * resumed, or triggered with success. 0 for never.
     */
    public @Nullable Integer pauseAfterFailures() {
        return get(Integer.class, TaskSetting.PAUSE_AFTER_FAILURES);
    }

    /** Returns whether its runs are observed, in the place of the setting for all tasks. */
    public @Nullable Boolean observe() {
        return get(Boolean.class, TaskSetting.OBSERVE);
    }

    @Override
    public boolean equals(@Nullable Object object) {
        return object instanceof TaskSettings other && values.equals(other.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return toMap().toString();
    }

    /**
     * Takes settings one by one. Each method throws an {@link UnusableSettingException} if the value cannot work; null
     * for not set.
     */
    public static final class Builder {

        private final Map<TaskSetting, Object> values = new EnumMap<>(TaskSetting.class);

        private Builder() {}

        /** Sets whether the task runs at all. One that does not is listed, and can be triggered or resumed. */
        public Builder enabled(@Nullable Boolean enabled) {
            return set(TaskSetting.ENABLED, enabled);
        }

        /** Sets a cron expression in place of its schedule, or {@code -} for none. */
        public Builder cron(@Nullable String cron) {
            return set(TaskSetting.CRON, cron);
        }

        /** Sets the zone in which its cron expression is meant: its own, that above, or one that it is re-timed to. */
        public Builder zone(@Nullable ZoneId zone) {
            return set(TaskSetting.ZONE, zone);
        }

        /** Sets a period in place of its schedule. */
        public Builder fixedRate(@Nullable Duration fixedRate) {
            return set(TaskSetting.FIXED_RATE, fixedRate);
        }

        /** Sets a delay between runs in place of its schedule. */
        public Builder fixedDelay(@Nullable Duration fixedDelay) {
            return set(TaskSetting.FIXED_DELAY, fixedDelay);
        }

        /** Sets how long after it is scheduled its first run is due. */
        public Builder initialDelay(@Nullable Duration initialDelay) {
            return set(TaskSetting.INITIAL_DELAY, initialDelay);
        }

        /** Sets the treatment of missed runs. */
        public Builder missedRuns(@Nullable MissedRuns missedRuns) {
            return set(TaskSetting.MISSED_RUNS, missedRuns);
        }

        /** Sets how much later than it is due each run starts at most. */
        public Builder jitter(@Nullable Duration jitter) {
            return set(TaskSetting.JITTER, jitter);
        }

        /** Sets how the jitter is chosen. */
        public Builder jitterKind(@Nullable JitterKind jitterKind) {
            return set(TaskSetting.JITTER_KIND, jitterKind);
        }

        /**
         * Sets how late a run may start so that it shares a wake-up with others, in place of the scheduler's tolerance.
         */
        public Builder startTolerance(@Nullable Duration startTolerance) {
            return set(TaskSetting.START_TOLERANCE, startTolerance);
        }

        /** Sets the treatment of runs at times of day that do not exist. */
        public Builder gap(@Nullable Gap gap) {
            return set(TaskSetting.GAP, gap);
        }

        /** Sets the treatment of runs at times of day that occur twice. */
        public Builder overlap(@Nullable Overlap overlap) {
            return set(TaskSetting.OVERLAP, overlap);
        }

        /** Sets how long a run may take before its thread is interrupted. */
        public Builder timeLimit(@Nullable Duration timeLimit) {
            return set(TaskSetting.TIME_LIMIT, timeLimit);
        }

        /** Sets for how long the task rests after failures. A longest rest that is the usual one counts as not set. */
        public Builder backOff(@Nullable BackOff backOff) {
            boolean isUsual = backOff == null
                    || backOff.maxDelay().equals(BackOff.of(backOff.delay()).maxDelay());
            return backOffDelay(backOff == null ? null : backOff.delay())
                    .backOffMultiplier(backOff == null ? null : backOff.multiplier())
                    .backOffMaxDelay(backOff == null || isUsual ? null : backOff.maxDelay());
        }

        /** Sets how long the rest after the first failure is. */
        public Builder backOffDelay(@Nullable Duration delay) {
            return set(TaskSetting.BACK_OFF_DELAY, delay);
        }

        /** Sets how many times longer each rest is than the one before. Needs a delay, here or below. */
        public Builder backOffMultiplier(@Nullable Double multiplier) {
            return set(TaskSetting.BACK_OFF_MULTIPLIER, multiplier);
        }

        /** Sets the longest rest. Needs a delay, here or below. */
        public Builder backOffMaxDelay(@Nullable Duration maxDelay) {
            return set(TaskSetting.BACK_OFF_MAX_DELAY, maxDelay);
        }

        /** Sets after how many failures in a row the task is paused; 0 for never. */
        public Builder pauseAfterFailures(@Nullable Integer pauseAfterFailures) {
            return set(TaskSetting.PAUSE_AFTER_FAILURES, pauseAfterFailures);
        }

        /**
         * Sets whether its runs are observed, in the place of {@code wheel.scheduler.observe}, which has to be set. An
         * annotated method, which Spring observes, can be left out alone.
         */
        public Builder observe(@Nullable Boolean observe) {
            return set(TaskSetting.OBSERVE, observe);
        }

        /**
         * Returns the settings.
         *
         * @throws UnusableSettingException if they name more than one schedule
         */
        public TaskSettings build() {
            TaskSetting one =
                    values.containsKey(TaskSetting.FIXED_RATE) ? TaskSetting.FIXED_RATE : TaskSetting.FIXED_DELAY;
            UnusableSettingException.unless(
                    values.keySet().stream().filter(TaskSetting::isSchedule).count() <= 1,
                    one.property(),
                    values.get(one),
                    "must be the only one of cron, fixed-rate and fixed-delay",
                    String.valueOf(values.get(one)));
            return new TaskSettings(new EnumMap<>(values));
        }

        private Builder set(TaskSetting setting, @Nullable Object value) {
            if (value == null) {
                values.remove(setting);
            } else {
                setting.check(value);
                values.put(setting, value);
            }
            return this;
        }
    }
}
