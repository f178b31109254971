package io.github.wheelscheduler.autoconfigure;

import io.github.wheelscheduler.spring.settings.UnusableSettingException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says that a property has a value of the right type with which the scheduler cannot work, or that some mean nothing that there is. */
@SuppressWarnings("serial")
final class UnusablePropertyException extends IllegalArgumentException {

    private final String property;
    private final String value;
    private final String rule;
    private final String example;

    /** What to do; null if another value is. */
    private final @Nullable String action;

    private UnusablePropertyException(String text, String action) {
        super(text);
        this.property = "";
        this.value = "";
        this.rule = "";
        this.example = "";
        this.action = action;
    }

    private UnusablePropertyException(String property, String value, String rule, String example) {
        super(property + " " + rule + ", was " + value);
        this.property = property;
        this.value = value;
        this.rule = rule;
        this.example = example;
        this.action = null;
    }

    /** Returns one that says of some properties what is wrong with them, and what to do. */
    static UnusablePropertyException unmatched(List<String> wrong, String action) {
        return new UnusablePropertyException(String.join(System.lineSeparator(), wrong), action);
    }

    /**
     * Throws if a value is not usable.
     *
     * @param rule what the value must be, as in "must be at least 1"
     * @param example a value to write instead
     */
    static void unless(boolean usable, String property, @Nullable Object value, String rule, String example) {
        if (!usable) {
            throw new UnusablePropertyException(property, String.valueOf(value), rule, example);
        }
    }

    /** Returns one that says of a property what is said of a task's setting. */
    static UnusablePropertyException of(String property, UnusableSettingException setting) {
        UnusablePropertyException made =
                new UnusablePropertyException(property, setting.value(), setting.rule(), setting.example());
        made.initCause(setting);
        return made;
    }

    @Nullable
    String action() {
        return action;
    }

    String property() {
        return property;
    }

    String value() {
        return value;
    }

    String rule() {
        return rule;
    }

    String example() {
        return example;
    }
}
