package io.github.wheelscheduler.durable;

import io.github.wheelscheduler.durable.internal.Database;

/**
 * Says that durable tasks cannot be kept in a database: its product is none that they work with, or its tables are not
 * as this release needs them.
 */
@SuppressWarnings("serial")
public final class UnsupportedDatabaseException extends IllegalStateException {

    private final String action;

    /** Only the scheduler makes one. */
    public UnsupportedDatabaseException(Database.Refusal refusal) {
        super(refusal.message(), refusal.cause());
        this.action = refusal.action();
    }

    /** Returns what to do about it. */
    public String action() {
        return action;
    }
}
