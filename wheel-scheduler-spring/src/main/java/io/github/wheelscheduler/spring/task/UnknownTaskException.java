package io.github.wheelscheduler.spring.task;

/** Thrown if there is no task with an id. */
@SuppressWarnings("serial")
public final class UnknownTaskException extends IllegalArgumentException {

    private final int knownTasks;

    UnknownTaskException(String id, int knownTasks) {
        super("id must be that of one of the " + knownTasks + " registered tasks, was " + id);
        this.knownTasks = knownTasks;
    }

    /** Returns how many tasks there are. */
    public int knownTasks() {
        return knownTasks;
    }
}
