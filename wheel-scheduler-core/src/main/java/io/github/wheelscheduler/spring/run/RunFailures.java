package io.github.wheelscheduler.spring.run;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.DelegatingErrorHandlingRunnable;
import org.springframework.scheduling.support.TaskUtils;
import org.springframework.util.ErrorHandler;

/** Counts what tasks throw, on its way to the error handler. */
public final class RunFailures {

    /** Needs no memory to be counted up. */
    private final AtomicLong count = new AtomicLong();

    private final LongSupplier nanoClock;

    /** Whom the user has set, if anybody. */
    private volatile @Nullable ErrorHandler handler;

    /** For one-time tasks; null until needed. */
    private volatile @Nullable ErrorHandler oneTimeHandler;

    /** Makes one that asks the clock, in nanoseconds, when it logs. */
    public RunFailures(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** Sets who is told of failures from now on, in place of the log. */
    public void setHandler(ErrorHandler handler) {
        this.handler = handler;
        this.oneTimeHandler = null;
    }

    /** Returns what is to run in place of a one-time task, with no more objects than Spring would wrap around it. */
    public Runnable guard(Runnable task) {
        return task instanceof DelegatingErrorHandlingRunnable
                ? task
                : new DelegatingErrorHandlingRunnable(task, oneTimeHandler());
    }

    /** Returns who hears of the failures of a task. */
    public ErrorHandler handlerFor(String task, boolean isRepeating) {
        if (!isRepeating) {
            return oneTimeHandler();
        }
        ErrorHandler set = handler;
        return new Counting(set != null ? set : new SeriesFailureLog(task, nanoClock));
    }

    /** Returns who is told when a trigger fails. */
    public ErrorHandler triggerHandler() {
        ErrorHandler set = handler;
        return set != null ? set : TaskUtils.getDefaultErrorHandler(true);
    }

    private ErrorHandler oneTimeHandler() {
        ErrorHandler seen = oneTimeHandler;
        if (seen == null) {
            ErrorHandler set = handler;
            seen = new Counting(set != null ? set : TaskUtils.getDefaultErrorHandler(false));
            oneTimeHandler = seen;
        }
        return seen;
    }

    /** Returns how many runs have failed so far. */
    public long count() {
        return count.get();
    }

    private final class Counting implements RunErrorHandler {

        private final ErrorHandler target;

        Counting(ErrorHandler target) {
            this.target = target;
        }

        @Override
        public void handleError(Throwable thrown) {
            count.incrementAndGet();
            target.handleError(thrown);
        }

        @Override
        public void succeeded() {
            if (target instanceof RunErrorHandler interested) {
                interested.succeeded();
            }
        }
    }
}
