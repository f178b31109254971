package io.github.wheelscheduler;

import io.github.wheelscheduler.internal.ClassNames;

/**
 * A task that has a name for logs, endpoints and meters. Other tasks are shown by their class, as their text may
 * contain a secret.
 */
public interface NamedTask {

    /** Returns the name. It should not fail, and never change. */
    String taskName();

    /** Returns the text to show for a task, or for any other object of a user's: its name, or its class. */
    static String of(Object task) {
        if (task instanceof NamedTask named) {
            try {
                return String.valueOf(named.taskName());
            } catch (Throwable ex) {
                // Its class will do.
            }
        }
        return ofClass(task.getClass());
    }

    /**
     * Returns the name of a class; of a lambda, that of the class that it is in, which does not change with each start.
     */
    static String ofClass(Class<?> type) {
        return ClassNames.of(type);
    }
}
