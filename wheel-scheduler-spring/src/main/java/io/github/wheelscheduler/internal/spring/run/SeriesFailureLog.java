package io.github.wheelscheduler.internal.spring.run;

import io.github.wheelscheduler.internal.LogLimit;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.TaskUtils;
import org.springframework.util.ErrorHandler;

/**
 * The error handler of a repeating task if the user has set none. The first failure of each kind is logged with its
 * stack. Others are counted and summed up with the last one, once a minute at most, until a run succeeds. On the thread
 * of the run; virtual time sums up on another one. No lock is held while something is logged.
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

    /** The classes of failures logged since the last line that passed the limit; no more than a few. */
    private final List<Class<?>> said = new ArrayList<>(1);

    SeriesFailureLog(String task, LogTime time) {
        this.task = task;
        this.time = time;
        this.limit = new LogLimit(time.nanoClock());
    }

    @Override
    public void handleError(Throwable thrown) {
        LogLimit current = count();
        try {
            boolean isTime = current.tryPass(time.sumUpLater(), others -> sumUp()) >= 0;
            String line = lineFor(thrown.getClass(), isTime);
            // If it is not logged, the next failure is instead.
            if (line != null && ThrownLog.error(logger, line, thrown)) {
                noteSaid(thrown.getClass(), isTime);
            }
        } catch (Throwable ex) {
            // There is no memory, or the log is broken: the series continues, and the next failure is logged instead.
        }
    }

    private synchronized LogLimit count() {
        inARow++;
        return limit;
    }

    /** Returns the line to log for a failure; null for none. */
    private synchronized @Nullable String lineFor(Class<?> kind, boolean isTime) {
        // Another kind of failure is said at once, as long as it is one of few.
        boolean isNew = said.size() < MOST_KINDS && !said.contains(kind);
        if (!isTime && !isNew) {
            return null;
        }
        return inARow > 1
                ? inARowText() + "; the last failure"
                : "Unexpected error occurred in scheduled task " + task + "; it continues";
    }

    private synchronized void noteSaid(Class<?> kind, boolean isTime) {
        if (isTime) {
            said.clear();
        }
        said.add(kind);
    }

    private void sumUp() {
        String line;
        synchronized (this) {
            line = inARow > 0 ? inARowText() : null;
        }
        if (line != null) {
            logger.error(line);
        }
    }

    private String inARowText() {
        return "Scheduled task " + task + " has failed " + inARow + " times in a row";
    }

    /** A run of the task has ended without a failure, after one that failed. On the thread of the run. */
    void succeeded() {
        long failures;
        synchronized (this) {
            failures = inARow;
            inARow = 0;
            said.clear();
        }
        try {
            LogLimit another = new LogLimit(time.nanoClock());
            synchronized (this) {
                limit = another;
            }
            if (failures > 1) {
                logger.info(
                        "Scheduled task " + task + " has succeeded again, after " + failures + " failures in a row");
            }
        } catch (Throwable ex) {
            // There is no memory, or the log is broken: the series continues.
        }
    }
}
