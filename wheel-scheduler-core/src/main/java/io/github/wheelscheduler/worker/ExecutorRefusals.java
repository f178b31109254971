package io.github.wheelscheduler.worker;

import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts what an executor did not run when it was to, and tells the log: the first of a streak whole, then at most once a
 * minute how many there were. A streak ends when there has been none for a minute.
 *
 * <p>Throws nothing, and counts exactly, also when there is no memory left to log with.
 */
final class ExecutorRefusals {

    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoClock;
    private final AtomicLong total = new AtomicLong();

    /** Guarded by this, as all that follows. */
    private boolean inStreak;

    private long lastNanos;
    private long loggedNanos;
    private long sinceLogged;

    private long abandoned;
    private boolean abandonedBefore;
    private long abandonedLoggedNanos;

    ExecutorRefusals(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    long total() {
        return total.get();
    }

    /** Counts a run that was offered and not taken. Any thread. */
    void count() {
        total.incrementAndGet();
    }

    /** Logs, if it is time to, that a run was not taken and will be offered again. Any thread. */
    void log(Runnable run, Throwable failure) {
        try {
            long heldBack = noteRefusal(nanoClock.getAsLong());
            if (heldBack == 0) {
                log("The executor refused a due run, which is offered again until it is taken", run, failure);
            } else if (heldBack > 0) {
                log(
                        "The executor refused due runs " + heldBack + " times since that was last logged, now with "
                                + failure.getClass().getName() + "; they are offered again until they are taken",
                        run,
                        null);
            }
        } catch (Throwable ex) {
            // Out of memory, most likely; there will be another refusal.
        }
    }

    /** Returns 0 if this is the first of a streak, how many there were if it is time to say so, and -1 otherwise. */
    private synchronized long noteRefusal(long nowNanos) {
        boolean isFirst = !inStreak || nowNanos - lastNanos >= INTERVAL_NANOS;
        inStreak = true;
        lastNanos = nowNanos;
        if (isFirst) {
            loggedNanos = nowNanos;
            sinceLogged = 0;
            return 0;
        }
        sinceLogged++;
        if (nowNanos - loggedNanos < INTERVAL_NANOS) {
            return -1;
        }
        loggedNanos = nowNanos;
        long heldBack = sinceLogged;
        sinceLogged = 0;
        return heldBack;
    }

    /** Counts a run that ended as cancelled because the executor has been shut down. */
    synchronized void countAbandoned() {
        abandoned++;
    }

    /** Logs, if it is time to or {@code isLast}, how many runs were abandoned. */
    void logAbandoned(boolean isLast) {
        try {
            long number = takeAbandoned(nanoClock.getAsLong(), isLast);
            if (number > 0) {
                log(
                        "The executor was shut down before this one; due runs that it never started are cancelled: "
                                + number,
                        null,
                        null);
            }
        } catch (Throwable ex) {
            // Out of memory, most likely.
        }
    }

    private synchronized long takeAbandoned(long nowNanos, boolean isLast) {
        boolean isTime = !abandonedBefore || nowNanos - abandonedLoggedNanos >= INTERVAL_NANOS;
        if (abandoned == 0 || !(isTime || isLast)) {
            return 0;
        }
        abandonedBefore = true;
        abandonedLoggedNanos = nowNanos;
        long number = abandoned;
        abandoned = 0;
        return number;
    }

    private static void log(String message, @Nullable Runnable run, @Nullable Throwable failure) {
        RunBoundary.log(Level.WARNING, message, run, failure);
    }
}
