package io.github.wheelscheduler.internal.worker;

import io.github.wheelscheduler.internal.EngineLog;
import io.github.wheelscheduler.internal.LogLimit;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Counts runs that an executor rejected, and logs them: one rejection a minute, with the number of earlier ones that
 * were not logged.
 *
 * <p>Throws nothing, and counts exactly, also when there is no memory left to log with.
 */
final class ExecutorRefusals {

    /** The number of runs that were offered and rejected. Any thread. */
    final AtomicLong total = new AtomicLong();

    private final LogLimit refusedLimit;

    /** The number of runs that were cancelled because the executor was shut down, and not logged yet. Any thread. */
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
                String before = others == 0 ? "" : " (and " + others + " more times since the last warning)";
                EngineLog.log(
                        Level.WARNING,
                        "The executor rejected a due run" + before
                                + "; the run is offered again until it is accepted. Raise the executor's limits if "
                                + "tasks start late",
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
                        "The executor that runs the tasks must be shut down after the scheduler; it was shut down"
                                + " before, so due runs are cancelled: " + abandoned.getAndSet(0),
                        null,
                        null);
            }
        } catch (Throwable ex) {
            // Out of memory, most likely.
        }
    }
}
