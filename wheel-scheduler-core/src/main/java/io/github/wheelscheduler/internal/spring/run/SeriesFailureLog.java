package io.github.wheelscheduler.internal.spring.run;

import io.github.wheelscheduler.internal.LogLimit;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.scheduling.support.TaskUtils;
import org.springframework.util.ErrorHandler;

/**
 * The error handler of a task that repeats, where the user has set none: the first failure of each kind is logged whole, others are
 * counted, and summed up with the last one once a minute at most, until a run succeeds. On the thread of the run; virtual
 * time sums up on another one.
 */
final class SeriesFailureLog implements ErrorHandler {

    /** Where Spring's own handler logs, so that settings for that keep their meaning. */
    private static final Log logger = LogFactory.getLog(TaskUtils.LOG_AND_SUPPRESS_ERROR_HANDLER.getClass());

    private static final int MOST_KINDS = 5;

    private final String task;
    private final LogTime time;

    /** Guarded by this, as all that follows. */
    private long inARow;

    /** Another one for each row of failures. */
    private LogLimit limit;

    /** What has been logged since the last line that the limit let through, by class; no more than a few. */
    private final List<Class<?>> said = new ArrayList<>(1);

    SeriesFailureLog(String task, LogTime time) {
        this.task = task;
        this.time = time;
        this.limit = new LogLimit(time.nanoClock());
    }

    @Override
    public synchronized void handleError(Throwable thrown) {
        inARow++;
        try {
            boolean isTime = limit.tryPass(time.sumUpLater(), others -> sumUp()) >= 0;
            // Another kind of failure is said at once, as long as it is one of few.
            boolean isNew = said.size() < MOST_KINDS && !said.contains(thrown.getClass());
            if (!isTime && !isNew) {
                return;
            }
            boolean isLogged = ThrownLog.error(
                    logger,
                    inARow > 1
                            ? inARowText() + "; the last failure"
                            : "Unexpected error occurred in scheduled task " + task + "; it goes on",
                    thrown);
            if (!isLogged) {
                // The next failure is logged instead.
                return;
            }
            if (isTime) {
                said.clear();
            }
            said.add(thrown.getClass());
        } catch (Throwable ex) {
            // Memory is short, or the log is broken: the series goes on, and the next failure is logged instead.
        }
    }

    private synchronized void sumUp() {
        if (inARow > 0) {
            logger.error(inARowText());
        }
    }

    private String inARowText() {
        return "Scheduled task " + task + " has failed " + inARow + " times in a row";
    }

    /** A run of the task has ended without a failure, after one that failed. On the thread of the run. */
    synchronized void succeeded() {
        long failures = inARow;
        inARow = 0;
        said.clear();
        try {
            limit = new LogLimit(time.nanoClock());
            if (failures > 1) {
                logger.info(
                        "Scheduled task " + task + " has succeeded again, after " + failures + " failures in a row");
            }
        } catch (Throwable ex) {
            // Memory is short, or the log is broken: the series goes on.
        }
    }
}
