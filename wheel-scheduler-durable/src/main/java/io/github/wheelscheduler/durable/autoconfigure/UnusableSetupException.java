package io.github.wheelscheduler.durable.autoconfigure;

import org.jspecify.annotations.Nullable;

/** Says why durable tasks cannot work in an application as it is, and what to do about it. */
@SuppressWarnings("serial")
final class UnusableSetupException extends IllegalStateException {

    private final String action;

    UnusableSetupException(String message, String action) {
        this(message, action, null);
    }

    UnusableSetupException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    String action() {
        return action;
    }
}
