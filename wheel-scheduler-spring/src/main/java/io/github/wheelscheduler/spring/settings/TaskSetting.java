package io.github.wheelscheduler.spring.settings;

import io.github.wheelscheduler.UnusableSettingException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Locale;
import org.springframework.scheduling.support.CronExpression;

/**
 * The table of all settings that a task can have, in the order in which they are shown. {@link TaskSettings} derive
 * from it how to read, check, merge and show settings.
 */
enum TaskSetting {
    ENABLED("enabled", Boolean.class),
    CRON("cron", String.class, "must be a cron expression of six fields, or -", "0 0 * * * *"),
    ZONE("zone", ZoneId.class),
    FIXED_RATE("fixed-rate", Duration.class, "must be positive", "5s"),
    FIXED_DELAY("fixed-delay", Duration.class, "must be positive", "5s"),
    INITIAL_DELAY("initial-delay", Duration.class, "must not be negative", "10s"),
    MISSED_RUNS("missed-runs", MissedRuns.class),
    JITTER("jitter", Duration.class, "must not be negative", "5s"),
    JITTER_KIND("jitter-kind", JitterKind.class),
    START_TOLERANCE("start-tolerance", Duration.class, "must not be negative", "1s"),
    GAP("gap", Gap.class),
    OVERLAP("overlap", Overlap.class),
    TIME_LIMIT("time-limit", Duration.class, "must be positive", "10m"),
    BACK_OFF_DELAY("back-off.delay", Duration.class, "must be positive", "10s"),
    BACK_OFF_MULTIPLIER("back-off.multiplier", Double.class, "must be at least 1", "2"),
    BACK_OFF_MAX_DELAY("back-off.max-delay", Duration.class, "must be positive", "1h"),
    PAUSE_AFTER_FAILURES("pause-after-failures", Integer.class, "must not be negative", "10"),
    OBSERVE("observe", Boolean.class);

    private final String property;
    private final Class<?> type;
    private final String rule;
    private final String example;

    TaskSetting(String property, Class<?> type) {
        this(property, type, "", "");
    }

    TaskSetting(String property, Class<?> type, String rule, String example) {
        this.property = property;
        this.type = type;
        this.rule = rule;
        this.example = example;
    }

    /** Returns the name, as it is written in properties: {@code time-limit}. */
    String property() {
        return property;
    }

    /** Returns the type of its values. */
    Class<?> type() {
        return type;
    }

    /** Whether it determines when the task runs: one that is set replaces all of the others. */
    boolean isSchedule() {
        return this == CRON || this == FIXED_RATE || this == FIXED_DELAY;
    }

    /**
     * Checks a value.
     *
     * @throws UnusableSettingException if it cannot work
     */
    void check(Object value) {
        UnusableSettingException.unless(isUsable(type.cast(value)), property, value, rule, example);
    }

    /** Returns a value in the words of properties. */
    static String textOf(Object value) {
        return value instanceof Enum<?> constant
                ? constant.name().toLowerCase(Locale.ROOT).replace('_', '-')
                : value.toString();
    }

    private boolean isUsable(Object value) {
        return switch (this) {
            case CRON -> value.equals("-") || CronExpression.isValidExpression((String) value);
            case FIXED_RATE, FIXED_DELAY, TIME_LIMIT, BACK_OFF_DELAY, BACK_OFF_MAX_DELAY ->
                ((Duration) value).compareTo(Duration.ZERO) > 0;
            case INITIAL_DELAY, JITTER, START_TOLERANCE -> !((Duration) value).isNegative();
            case BACK_OFF_MULTIPLIER -> (double) value >= 1 && (double) value < Double.POSITIVE_INFINITY;
            case PAUSE_AFTER_FAILURES -> (int) value >= 0;
            default -> true;
        };
    }
}
