package io.github.wheelscheduler.spring.settings;

import org.jspecify.annotations.Nullable;

/** Says that a setting of a task has a value with which it cannot work. */
@SuppressWarnings("serial")
public final class UnusableSettingException extends IllegalArgumentException {

    private final String setting;
    private final String value;
    private final String rule;
    private final String example;

    private UnusableSettingException(String setting, String value, String rule, String example) {
        super(setting + " " + rule + ", was " + value);
        this.setting = setting;
        this.value = value;
        this.rule = rule;
        this.example = example;
    }

    static void unless(boolean usable, String setting, @Nullable Object value, String rule, String example) {
        if (!usable) {
            throw new UnusableSettingException(setting, String.valueOf(value), rule, example);
        }
    }

    /** Returns which setting, as it is written in properties: {@code time-limit}. */
    public String setting() {
        return setting;
    }

    /** Returns the value. */
    public String value() {
        return value;
    }

    /** Returns what the value must be, as in "must be positive". */
    public String rule() {
        return rule;
    }

    /** Returns a value to write instead. */
    public String example() {
        return example;
    }
}
