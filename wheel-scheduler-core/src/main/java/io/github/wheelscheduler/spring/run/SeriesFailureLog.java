package io.github.wheelscheduler.spring.run;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.scheduling.support.TaskUtils;

/**
 * The error handler of a task that repeats, where the user has set none: the first failure of each kind is logged whole, those that
 * follow are counted, and summed up with the last one once a minute at most, until a run succeeds. One thread at a time:
 * that of the run.
 */
final class SeriesFailureLog implements RunErrorHandler {

    /** Where Spring's own handler logs, so that settings for that keep their meaning. */
    private static final Log logger = LogFactory.getLog(TaskUtils.LOG_AND_SUPPRESS_ERROR_HANDLER.getClass());

    private static final long INTERVAL_NANOS = 60_000_000_000L;

    private static final int MOST_KINDS = 5;

    private final String task;
    private final LongSupplier nanoClock;
    private long inARow;

    /** Of the failures in a row, one has been logged. */
    private boolean isSaid;

    private long saidAtNanos;

    /** What has been logged since then, by class; no more than a few. */
    private final List<Class<?>> said = new ArrayList<>(1);

    SeriesFailureLog(String task, LongSupplier nanoClock) {
        this.task = task;
        this.nanoClock = nanoClock;
    }

    @Override
    public void handleError(Throwable thrown) {
        inARow++;
        long nowNanos = nanoClock.getAsLong();
        try {
            boolean isTime = !isSaid || nowNanos - saidAtNanos >= INTERVAL_NANOS;
            if (!isTime && !isNew(thrown)) {
                return;
            }
            logger.error(isSaid || inARow > 1 ? inARowText() : firstText(), thrown);
            if (isTime) {
                said.clear();
                saidAtNanos = nowNanos;
            }
            said.add(thrown.getClass());
            isSaid = true;
        } catch (Throwable ex) {
            // Memory is short, or the log is broken: the series goes on, and the next failure is logged instead.
        }
    }

    /** Another kind of failure is said at once, as long as it is one of few. */
    private boolean isNew(Throwable thrown) {
        return said.size() < MOST_KINDS && !said.contains(thrown.getClass());
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
        said.clear();
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
