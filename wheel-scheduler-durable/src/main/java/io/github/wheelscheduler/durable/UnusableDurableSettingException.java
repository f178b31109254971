package io.github.wheelscheduler.durable;

/** Says that one of the {@link DurableSettings} has a value with which a node cannot work. */
@SuppressWarnings("serial")
public final class UnusableDurableSettingException extends IllegalArgumentException {

    private final String setting;
    private final String value;
    private final String rule;
    private final String example;

    UnusableDurableSettingException(String setting, Object value, String rule, String example) {
        super(setting + " " + rule + ", was " + (value instanceof String ? "'" + value + "'" : value));
        this.setting = setting;
        this.value = String.valueOf(value);
        this.rule = rule;
        this.example = example;
    }

    static void unless(boolean usable, String setting, Object value, String rule, String example) {
        if (!usable) {
            throw new UnusableDurableSettingException(setting, value, rule, example);
        }
    }

    /** Returns which setting, as the record calls it: {@code deadAfter}. */
    public String setting() {
        return setting;
    }

    /** Returns the value. */
    public String value() {
        return value;
    }

    /** Returns what the value must be, as in "must be at least 1". */
    public String rule() {
        return rule;
    }

    /** Returns a value to write instead. */
    public String example() {
        return example;
    }
}
