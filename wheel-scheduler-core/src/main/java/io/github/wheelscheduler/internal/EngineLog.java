package io.github.wheelscheduler.internal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** Logs failures of the engine's own work, and of what it runs. Throws nothing, unless there is no memory for the call itself. */
public final class EngineLog {

    private static final Logger LOGGER = System.getLogger("io.github.wheelscheduler");

    private EngineLog() {}

    /** Loads this class while there is memory for that. */
    public static void prepare() {}

    /**
     * Logs a message, if possible: neither a broken log nor the text of a task harms the caller.
     *
     * @param subject is added to the message, if there is one
     */
    public static void log(Level level, String message, @Nullable Object subject, @Nullable Throwable failure) {
        try {
            LOGGER.log(level, subject == null ? message : message + ": " + subject, failure);
        } catch (Throwable ex) {
            // There is no other place to tell it.
        }
    }
}
