package io.github.wheelscheduler.internal;

import java.lang.System.Logger.Level;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Logs failures of one kind: the first at once, then one a minute at most. Throws nothing. Any thread. */
public final class FailureLog {

    private final Level level;
    private final String message;
    private final LogLimit limit;

    /**
     * Creates a log without earlier lines.
     *
     * @param message the text of each line; shows no user's objects
     * @param nanoClock a monotonic clock in nanoseconds
     */
    public FailureLog(Level level, String message, LongSupplier nanoClock) {
        this.level = level;
        this.message = message;
        this.limit = new LogLimit(nanoClock);
    }

    /** Logs a failure, with its exception, if there is one, unless one has been logged within the last minute. */
    public void log(@Nullable Throwable failure) {
        try {
            long others = limit.tryPass();
            if (others >= 0) {
                String more = others == 0 ? "" : " (" + others + " more failures were not logged since the last line)";
                EngineLog.log(level, message + more, null, failure);
            }
        } catch (Throwable ex) {
            // Neither a broken log nor a lack of memory may affect the caller.
        }
    }
}
