package io.github.wheelscheduler.internal.spring.run;

import io.github.wheelscheduler.internal.StackText;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;

/** Logs exceptions of a user's code, whose text is computed by the user's code as well. Throws nothing. Any thread. */
public final class ThrownLog {

    private static final int LONGEST_LINE = 500;

    private ThrownLog() {}

    /**
     * Logs an error with the stack trace; as far as that can be printed, if the user's code in it fails.
     *
     * @return false if the log failed
     */
    public static boolean error(Log log, String text, Throwable thrown) {
        return whole(log::error, log::error, text, thrown);
    }

    /** The same as a warning. */
    public static void warn(Log log, String text, Throwable thrown) {
        boolean ignored = whole(log::warn, log::warn, text, thrown);
    }

    /** The same at debug level, to find errors in this code. */
    public static void debug(Log log, String text, Throwable thrown) {
        if (log.isDebugEnabled()) {
            boolean ignored = whole(log::debug, log::debug, text, thrown);
        }
    }

    private static boolean whole(
            BiConsumer<Object, Throwable> log, Consumer<Object> logText, String text, Throwable thrown) {
        try {
            if (StackText.isPrintable(thrown)) {
                log.accept(text, thrown);
                return true;
            }
        } catch (Throwable ex) {
            // The log asks for other parts of it, which fail.
        }
        try {
            logText.accept(text + ": " + StackText.of(thrown));
            return true;
        } catch (Throwable ex) {
            // The log is broken, or there is no memory for it.
            return false;
        }
    }

    /** Logs a warning in one line: the text, the class of the exception, and its message. */
    public static void warnInOneLine(Log log, String text, Throwable thrown) {
        try {
            log.warn(text + ": " + inOneLine(thrown));
        } catch (Throwable ex) {
            // The log is broken, or there is no memory for it.
        }
    }

    /** Returns the class of the exception and its message, which may be truncated. */
    public static String inOneLine(Throwable thrown) {
        String name = thrown.getClass().getName();
        try {
            String message = thrown.getMessage();
            if (message == null || message.isBlank()) {
                return name;
            }
            String more = message.length() > LONGEST_LINE ? "…" : "";
            return name + ": " + StackText.start(message, LONGEST_LINE).replaceAll("\\s*\\R\\s*", " ") + more;
        } catch (Throwable ex) {
            return name;
        }
    }
}
