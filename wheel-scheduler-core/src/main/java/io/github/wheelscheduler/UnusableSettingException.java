package io.github.wheelscheduler;

import org.jspecify.annotations.Nullable;

/** Thrown for a setting with an invalid value of the right type; names the setting, the rule, and a valid value. */
@SuppressWarnings("serial")
public final class UnusableSettingException extends IllegalArgumentException {

    private final String setting;
    private final String value;
    private final String rule;
    private final String example;

    private UnusableSettingException(
            String setting, String value, String rule, String example, @Nullable Throwable cause) {
        super(setting + " " + rule + ", was " + value, cause);
        this.setting = setting;
        this.value = value;
        this.rule = rule;
        this.example = example;
    }

    /**
     * Throws unless a value is usable.
     *
     * @param rule the rule for the value, as in "must be at least 1"
     * @param example a value to write instead
     */
    public static void unless(boolean usable, String setting, @Nullable Object value, String rule, String example) {
        if (!usable) {
            throw new UnusableSettingException(setting, String.valueOf(value), rule, example, null);
        }
    }

    /** Returns the exception for the same value under another name of the setting, such as that of a property. */
    public UnusableSettingException named(String otherName) {
        return new UnusableSettingException(otherName, value, rule, example, this);
    }

    /** Returns the name of the setting. */
    public String setting() {
        return setting;
    }

    /** Returns the text of the value. */
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
