package io.github.wheelscheduler.spring.run;

import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.scheduling.support.TaskUtils;

/**
 * The error handler of a task that repeats, where the user has set none: the first failure is logged whole, those that
 * follow are counted, and summed up with the last one once a minute at most, until a run succeeds. One thread at a time:
 * that of the run.
 */
final class SeriesFailureLog implements RunErrorHandler {

    /** Where Spring's own handler logs, so that settings for that keep their meaning. */
    private static final Log logger = LogFactory.getLog(TaskUtils.LOG_AND_SUPPRESS_ERROR_HANDLER.getClass());

    private static final long INTERVAL_NANOS = 60_000_000_000L;

    private final String task;
    private final LongSupplier nanoClock;
    private long inARow;

    /** Of the failures in a row, one has been logged. */
    private boolean isSaid;

    private long saidAtNanos;

    SeriesFailureLog(String task, LongSupplier nanoClock) {
        this.task = task;
        this.nanoClock = nanoClock;
    }

    @Override
    public void handleError(Throwable thrown) {
        inARow++;
        long nowNanos = nanoClock.getAsLong();
        if (isSaid && nowNanos - saidAtNanos < INTERVAL_NANOS) {
            return;
        }
        try {
            logger.error(isSaid || inARow > 1 ? inARowText() : firstText(), thrown);
            isSaid = true;
            saidAtNanos = nowNanos;
        } catch (Throwable ex) {
            // Memory is short, or the log is broken: the series goes on, and the next failure is logged instead.
        }
    }

    private String firstText() {
        return "Unexpected error occurred in scheduled task " + task + "; it goes on";
    }

    private String inARowText() {
        return "Scheduled task " + task + " has failed " + inARow + " times in a row; the last failure";
    }

    @Override
    public void succeeded() {
        long failures = inARow;
        inARow = 0;
        isSaid = false;
        try {
            if (failures > 1) {
                logger.info(
                        "Scheduled task " + task + " has succeeded again, after " + failures + " failures in a row");
            }
        } catch (Throwable ex) {
            // As above.
        }
    }
}
