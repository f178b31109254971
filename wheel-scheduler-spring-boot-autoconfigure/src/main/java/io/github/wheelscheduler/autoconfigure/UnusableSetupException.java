package io.github.wheelscheduler.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Thrown if an application cannot work with its setup; has the cause and the remedy. */
@SuppressWarnings("serial")
public final class UnusableSetupException extends IllegalStateException {

    private final String action;

    /**
     * Creates one.
     *
     * @param message the cause, a sentence without its full stop
     * @param action the remedy, in sentences
     */
    public UnusableSetupException(String message, String action) {
        this(message, action, null);
    }

    /** Creates one with a cause. */
    public UnusableSetupException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    /** Returns one for several faults, each on a line of its own. */
    static UnusableSetupException of(List<String> wrong, String action) {
        return new UnusableSetupException(String.join("." + System.lineSeparator(), wrong), action);
    }

    String action() {
        return action;
    }
}
