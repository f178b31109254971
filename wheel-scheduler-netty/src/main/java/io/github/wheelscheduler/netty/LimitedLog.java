package io.github.wheelscheduler.netty;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Logs failures of one kind: the first at once, then one a minute at most. Throws nothing. Any thread. */
final class LimitedLog {

    private static final Logger LOGGER = System.getLogger("io.github.wheelscheduler");
    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String message;
    private final LongSupplier nanoClock;

    /** Guarded by this, as all that follows. */
    private boolean hasLogged;

    private long loggedNanos;
    private long heldBack;

    LimitedLog(String message, LongSupplier nanoClock) {
        this.message = message;
        this.nanoClock = nanoClock;
    }

    void log(Throwable failure) {
        try {
            long others = note(nanoClock.getAsLong());
            if (others >= 0) {
                String more = others == 0 ? "" : "; " + others + " more have not been logged since the last time";
                LOGGER.log(Level.WARNING, message + more, failure);
            }
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
