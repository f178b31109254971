package io.github.wheelscheduler.handler;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Tells the log of handlers that fail: the first time at once, then once a minute at most. It never names what they were called with. */
final class FailureLog {

    private static final Logger LOGGER = System.getLogger("io.github.wheelscheduler");
    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String owner;
    private final LongSupplier nanoClock;

    /** Guarded by this, as all that follows. */
    private boolean hasLogged;

    private long loggedNanos;
    private long heldBack;

    FailureLog(String owner, LongSupplier nanoClock) {
        this.owner = owner;
        this.nanoClock = nanoClock;
    }

    /** Logs the failure if it is time to. Throws nothing: neither a log handler nor a lack of memory may harm the caller. */
    void log(Throwable failure) {
        try {
            long others = note(nanoClock.getAsLong());
            if (others >= 0) {
                String more = others == 0 ? "" : "; since that was last logged, so did " + others + " others";
                LOGGER.log(Level.ERROR, "A handler of " + owner + " failed, which harms nothing else" + more, failure);
            }
        } catch (Throwable ex) {
            // There is nobody left to tell.
        }
    }

    /** Says that whoever closes does not wait any longer. Throws nothing. */
    void stillRunning(int threads) {
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
