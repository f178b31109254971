package io.github.wheelscheduler.history;

import org.jspecify.annotations.Nullable;

/**
 * Says that no history can be kept in a database: its product is unknown, or its tables are not as this release needs
 * them.
 */
@SuppressWarnings("serial")
public final class HistoryUnavailableException extends IllegalStateException {

    private final String action;

    /** Only the history makes one. */
    public HistoryUnavailableException(String message, String action, @Nullable Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    /** Returns what to do about it. */
    public String action() {
        return action;
    }
}
