package io.github.wheelscheduler.autoconfigure.endpoint;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Says that there is no task, scheduler or something else of a name. */
@SuppressWarnings("serial")
public final class UnknownNameException extends IllegalArgumentException {

    private final @Nullable Integer knownTasks;

    private UnknownNameException(String message, @Nullable Integer knownTasks) {
        super(message);
        this.knownTasks = knownTasks;
    }

    /** Returns one with that message. */
    public static UnknownNameException of(String message) {
        return new UnknownNameException(message, null);
    }

    static UnknownNameException ofTask(String id, int knownTasks) {
        return new UnknownNameException("No task named " + id, knownTasks);
    }

    static UnknownNameException ofScheduler(String name, Collection<String> known) {
        return new UnknownNameException("No scheduler named " + name + "; there are " + known, null);
    }

    /** Returns how many tasks there are; null if it was not a task that is unknown. */
    @Nullable
    Integer knownTasks() {
        return knownTasks;
    }
}
