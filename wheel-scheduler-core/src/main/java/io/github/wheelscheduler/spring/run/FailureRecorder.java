package io.github.wheelscheduler.spring.run;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ErrorHandler;

/** Keeps what a run has thrown on its way to the error handler. On one thread at a time: that of the run. */
public final class FailureRecorder implements ErrorHandler {

    private final RunFailures failures;
    private final String name;

    /** Made when a run has failed for the first time. */
    private @Nullable ErrorHandler seriesHandler;

    /** Who is told what was thrown, so that a run that succeeds need not look here. */
    private @Nullable Receiver task;

    /** A task whose runs may fail. */
    public interface Receiver {

        /** The run that is going on has thrown this. On its thread. */
        void threw(Throwable thrown);

        /** Whether the task repeats, so that a failure is followed by other runs. */
        boolean isRepeating();
    }

    FailureRecorder(RunFailures failures, String name) {
        this.failures = failures;
        this.name = name;
    }

    /** Names the task, once, before its first run. */
    public void recordFor(Receiver told) {
        this.task = told;
    }

    @Override
    public void handleError(Throwable thrown) {
        failures.countOne();
        if (task != null) {
            task.threw(thrown);
        }
        try {
            handler().handleError(thrown);
        } catch (OutOfMemoryError ex) {
            if (!isOfSeries()) {
                throw ex;
            }
            // That memory is short while a failure is handled says nothing about the series.
        }
    }

    /** A task may be re-timed from one kind to the other. */
    private ErrorHandler handler() {
        if (!isOfSeries()) {
            return failures.oneTimeTarget();
        }
        ErrorHandler made = seriesHandler;
        if (made == null) {
            made = failures.seriesTarget(name);
            seriesHandler = made;
        }
        return made;
    }

    private boolean isOfSeries() {
        return task == null || task.isRepeating();
    }

    /** Says that a run has gone well after one that failed. */
    public void succeeded() {
        if (handler() instanceof RunErrorHandler interested) {
            interested.succeeded();
        }
    }
}
