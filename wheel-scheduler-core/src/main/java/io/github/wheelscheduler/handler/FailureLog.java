package io.github.wheelscheduler.handler;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Tells the log of what goes wrong: the first time at once, then once a minute at most. */
public final class FailureLog {

    private static final Logger LOGGER = System.getLogger("io.github.wheelscheduler");
    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String message;
    private final LongSupplier nanoClock;

    /** Guarded by this, as all that follows. */
    private boolean hasLogged;

    private long loggedNanos;
    private long heldBack;

    /**
     * @param message what the log is told; no user's objects in it
     * @param nanoClock a monotonic clock in nanoseconds
     */
    public FailureLog(String message, LongSupplier nanoClock) {
        this.message = message;
        this.nanoClock = nanoClock;
    }

    /** Logs it if it is time to, with what was thrown, if anything was. Throws nothing: neither a log handler nor a lack of memory may harm the caller. */
    public void log(@Nullable Throwable failure) {
        try {
            long others = note(nanoClock.getAsLong());
            if (others >= 0) {
                String more = others == 0 ? "" : "; " + others + " more have not been logged since the last time";
                LOGGER.log(Level.ERROR, message + more, failure);
            }
        } catch (Throwable ex) {
            // There is nobody left to tell.
        }
    }

    /** Says that whoever closes does not wait any longer. Throws nothing. */
    static void stillRunning(String owner, int threads) {
        try {
            LOGGER.log(
                    Level.WARNING,
                    "Closing " + owner + " has interrupted handlers and waits no longer; " + threads
                            + " threads are still in one");
        } catch (Throwable ex) {
            // There is nobody left to tell.
        }
    }

    /** Returns how many have not been logged before this one, or -1 if this one is not to be logged either. */
    private synchronized long note(long nowNanos) {
        if (hasLogged && nowNanos - loggedNanos < INTERVAL_NANOS) {
            heldBack++;
            return -1;
        }
        hasLogged = true;
        loggedNanos = nowNanos;
        long others = heldBack;
        heldBack = 0;
        return others;
    }
}
