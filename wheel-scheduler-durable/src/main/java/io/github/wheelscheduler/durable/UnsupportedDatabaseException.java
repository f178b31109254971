package io.github.wheelscheduler.durable;

import org.jspecify.annotations.Nullable;

/** Says that durable tasks cannot be kept in a database: its product is none that they work with, or its tables are not as this release needs them. */
@SuppressWarnings("serial")
public final class UnsupportedDatabaseException extends IllegalStateException {

    private final String action;

    UnsupportedDatabaseException(@Nullable String message, String action, @Nullable Exception cause) {
        super(message, cause);
        this.action = action;
    }

    /** Returns what to do about it. */
    public String action() {
        return action;
    }
}
