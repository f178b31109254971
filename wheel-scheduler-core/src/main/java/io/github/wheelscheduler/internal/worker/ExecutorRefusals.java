package io.github.wheelscheduler.internal.worker;

import io.github.wheelscheduler.internal.EngineLog;
import io.github.wheelscheduler.internal.LogLimit;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Counts what an executor did not run when it was to, and tells the log: one refusal a minute, with the number of those before it
 * that were not told.
 *
 * <p>Throws nothing, and counts exactly, also when there is no memory left to log with.
 */
final class ExecutorRefusals {

    /** How many runs were offered and not taken. Any thread. */
    final AtomicLong total = new AtomicLong();

    private final LogLimit refusedLimit;

    /** How many runs ended as cancelled because the executor has been shut down, which the log has not been told of. Any thread. */
    final AtomicLong abandoned = new AtomicLong();

    private final LogLimit abandonedLimit;

    ExecutorRefusals(LongSupplier nanoClock) {
        this.refusedLimit = new LogLimit(nanoClock);
        this.abandonedLimit = new LogLimit(nanoClock);
    }

    /** Logs, if it is time to, that a run was not taken and will be offered again. Any thread. */
    void log(Runnable run, Throwable failure) {
        try {
            long others = refusedLimit.tryPass();
            if (others >= 0) {
                String before = others == 0 ? "" : " (and due runs " + others + " times since that was last logged)";
                EngineLog.log(
                        Level.WARNING,
                        "The executor refused a due run" + before + ", which is offered again until it is taken",
                        run,
                        failure);
            }
        } catch (Throwable ex) {
            // Out of memory, most likely; there will be another refusal.
        }
    }

    /** Logs, if it is time to or {@code isLast}, how many runs were abandoned. */
    void logAbandoned(boolean isLast) {
        try {
            if (abandoned.get() > 0 && (abandonedLimit.tryPass() >= 0 || isLast)) {
                EngineLog.log(
                        Level.WARNING,
                        "The executor was shut down before this one; due runs that it never started are cancelled: "
                                + abandoned.getAndSet(0),
                        null,
                        null);
            }
        } catch (Throwable ex) {
            // Out of memory, most likely.
        }
    }
}
