package io.github.wheelscheduler.internal;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * Logs failures of the engine itself, and of the code that it runs. Throws nothing, unless there is no memory for the
 * call itself.
 */
public final class EngineLog {

    private static final Logger LOGGER = System.getLogger("io.github.wheelscheduler");

    private EngineLog() {}

    /** Loads this class while there is memory for that. */
    public static void prepare() {}

    /**
     * Logs a message, if possible. Neither a broken log nor the text of a task or of a failure affects the caller. A
     * failure that cannot be printed is logged in part.
     *
     * @param subject is added to the message, if there is one
     */
    public static void log(Level level, String message, @Nullable Object subject, @Nullable Throwable failure) {
        try {
            if (LOGGER.isLoggable(level)) {
                String text = subject == null ? message : message + ": " + textOf(subject);
                if (failure == null || isPrintable(failure)) {
                    LOGGER.log(level, text, failure);
                } else {
                    LOGGER.log(level, text + ": " + StackText.of(failure));
                }
            }
        } catch (Throwable ex) {
            // There is no other place to report it.
        }
    }

    private static String textOf(Object subject) {
        try {
            return String.valueOf(subject);
        } catch (Throwable ex) {
            return subject.getClass().getName();
        }
    }

    /** There may be no memory to load the check; then the log may have enough. */
    private static boolean isPrintable(Throwable failure) {
        try {
            return StackText.isPrintable(failure);
        } catch (Throwable ex) {
            return true;
        }
    }
}
