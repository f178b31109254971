package io.github.wheelscheduler.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says why an application cannot work as it is set up, and what to do about it. */
@SuppressWarnings("serial")
public final class UnusableSetupException extends IllegalStateException {

    private final String action;

    /**
     * Makes one.
     *
     * @param message what is wrong, a sentence without its full stop
     * @param action what to do, in sentences
     */
    public UnusableSetupException(String message, String action) {
        this(message, action, null);
    }

    /** Makes one with a cause. */
    public UnusableSetupException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    /** Returns one that says of several things what is wrong with them, each on a line of its own. */
    static UnusableSetupException of(List<String> wrong, String action) {
        return new UnusableSetupException(String.join("." + System.lineSeparator(), wrong), action);
    }

    String action() {
        return action;
    }
}
