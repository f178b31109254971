package io.github.wheelscheduler.internal.spring.run;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.internal.spring.observation.ObservedRun;
import io.github.wheelscheduler.internal.spring.observation.ObservedRuns;
import io.github.wheelscheduler.spring.observation.RunOrigin;
import io.github.wheelscheduler.spring.run.OneTimeRunListener;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Clock;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.DelegatingErrorHandlingRunnable;
import org.springframework.scheduling.support.TaskUtils;
import org.springframework.util.ErrorHandler;
import org.springframework.util.ReflectionUtils;

/** Counts the exceptions of tasks, on their way to the error handler. */
public final class RunFailures {

    /** Needs no memory to be counted up. */
    private final AtomicLong count = new AtomicLong();

    /** The bound of the number of tasks that keep a stack trace. */
    public final KeptTraces traces = new KeptTraces();

    private final LogTime logTime;
    private final OneTimeFailureLog oneTimeLog;

    /** The user's handler, if one has been set. */
    private volatile @Nullable ErrorHandler handler;

    /** Counts the failures of one-time tasks on their way. */
    private volatile ErrorHandler oneTimeHandler = counting(thrown -> {
        throw new Unlogged(this, thrown);
    });

    /** Null before there is a listener of one-time runs. Writer: who adds it. */
    private volatile @Nullable OneTimeNotes notes;

    /** Creates one whose log is limited by that time. */
    public RunFailures(LogTime logTime) {
        this.logTime = logTime;
        this.oneTimeLog = new OneTimeFailureLog(logTime);
    }

    /** Sets the error handler that replaces the log, for tasks that have not failed before. */
    public synchronized void setHandler(ErrorHandler handler) {
        this.handler = handler;
        this.oneTimeHandler = notes == null ? counting(handler) : new Noting(counting(handler));
    }

    /** Returns the task to run in place of a one-time task, with no more objects than Spring would wrap around it. */
    public Runnable guard(Runnable task) {
        if (task instanceof DelegatingErrorHandlingRunnable) {
            return task;
        }
        ErrorHandler current = oneTimeHandler;
        // A stage of a future has no name to tell, and no failure; what it runs may be noted by itself.
        return current instanceof Noting && !(task instanceof CompletableFuture.AsynchronousCompletionTask)
                ? new NotedOneTime(task, current, this)
                : new OneTime(task, current);
    }

    /** Notifies a listener of the ends of one-time runs, for tasks that are scheduled from now on. */
    public synchronized void note(OneTimeRunListener listener, Supplier<OneTimeNotes> newNotes) {
        OneTimeNotes current = notes;
        if (current == null) {
            current = newNotes.get();
            notes = current;
            oneTimeHandler = new Noting(oneTimeHandler);
        }
        current.add(listener);
    }

    /** Tells a listener of one-time runs nothing more. */
    public synchronized void forget(OneTimeRunListener listener) {
        if (notes != null) {
            notes.remove(listener);
        }
    }

    /** Says by its class that runs are noted: a task that comes reads nothing more. */
    private record Noting(ErrorHandler target) implements ErrorHandler {

        @Override
        public void handleError(Throwable thrown) {
            target.handleError(thrown);
        }
    }

    /**
     * Returns the task to run in place of a one-time timer whose run is observed, as large as that of {@link #guard};
     * null if it is not observed.
     *
     * @param clock the clock for the time until it is due
     */
    public @Nullable Runnable observe(Runnable task, @Nullable ObservedRuns observed, Clock clock, Instant due) {
        if (observed == null
                || task instanceof DelegatingErrorHandlingRunnable
                || !observed.includes(task instanceof NamedTask)) {
            return null;
        }
        RunOrigin origin = observed.origin(clock, due);
        return origin == null
                ? new ObservedOneTime(this, observed, task)
                : new LinkedOneTime(this, observed, task, origin);
    }

    private record Counted<T>(RunFailures failures, Callable<T> task) implements Callable<T>, NamedTask {

        @Override
        public T call() throws Exception {
            OneTimeNotes told = failures.notes;
            long startNanos = told == null ? 0 : told.nanoTime();
            Throwable thrown = null;
            try {
                return task.call();
            } catch (Throwable ex) {
                thrown = ex;
                failures.countOne();
                throw ex;
            } finally {
                if (told != null) {
                    told.ended(task, startNanos, thrown, null);
                }
            }
        }

        @Override
        public String taskName() {
            return NamedTask.of(task);
        }

        /** For Spring's exception, which reports the rejection to the caller. */
        @Override
        public String toString() {
            return task.toString();
        }
    }

    /** As large as Spring's own. */
    private static final class OneTime extends DelegatingErrorHandlingRunnable implements NamedTask {

        private final Runnable task;

        OneTime(Runnable task, ErrorHandler errorHandler) {
            super(task, errorHandler);
            this.task = task;
        }

        @Override
        public void run() {
            try {
                super.run();
            } catch (Unlogged ex) {
                ex.failures.logAndThrow(task, ex.thrown);
            }
        }

        @Override
        public String taskName() {
            return NamedTask.of(task);
        }
    }

    /** Also notifies listeners of its run: a class of its own, so that others have no room for it. */
    private static final class NotedOneTime extends DelegatingErrorHandlingRunnable implements NamedTask {

        private final Runnable task;
        private final RunFailures failures;

        NotedOneTime(Runnable task, ErrorHandler errorHandler, RunFailures failures) {
            super(task, errorHandler);
            this.task = task;
            this.failures = failures;
        }

        @Override
        public void run() {
            failures.runNoted(task, failures.notes);
        }

        @Override
        public String taskName() {
            return NamedTask.of(task);
        }
    }

    /** Runs a one-time task, and reports its failure to the handler. */
    private void runNoted(Runnable task, @Nullable OneTimeNotes told) {
        long startNanos = told == null ? 0 : told.nanoTime();
        Throwable failure = failureOf(task);
        if (told != null) {
            told.ended(task, startNanos, failure, null);
        }
        if (failure != null) {
            countOne();
            oneTimeTarget(task).handleError(failure);
        }
    }

    /** Runs a task; returns its exception, null if it has ended well. */
    private static @Nullable Throwable failureOf(Runnable task) {
        try {
            task.run();
            return null;
        } catch (UndeclaredThrowableException ex) {
            return Objects.requireNonNullElse(ex.getUndeclaredThrowable(), ex);
        } catch (Throwable ex) {
            return ex;
        }
    }

    /**
     * Observes its run, and the error handler's part in it. It is none of Spring's, whose two fields it has no room
     * for.
     */
    private static class ObservedOneTime implements Runnable, NamedTask {

        private final RunFailures failures;
        private final ObservedRuns observed;
        private final Runnable task;

        ObservedOneTime(RunFailures failures, ObservedRuns observed, Runnable task) {
            this.failures = failures;
            this.observed = observed;
            this.task = task;
        }

        /** Returns the span of the call that has scheduled it; null for none. */
        @Nullable
        RunOrigin origin() {
            return null;
        }

        @Override
        public void run() {
            OneTimeNotes told = failures.notes;
            long startNanos = told == null ? 0 : told.nanoTime();
            ObservedRun run = observed.begin(this, task instanceof NamedTask, origin());
            Throwable failure = failureOf(task);
            if (told != null) {
                told.ended(task, startNanos, failure, observed.traceOf(Thread.currentThread()));
            }
            try {
                if (failure != null) {
                    failures.countOne();
                    failures.oneTimeTarget(task).handleError(failure);
                }
            } finally {
                if (run != null) {
                    run.end(failure);
                }
            }
        }

        @Override
        public String taskName() {
            return NamedTask.of(task);
        }

        /** For Spring's exception, which reports the rejection to the caller. */
        @Override
        public String toString() {
            return task.toString();
        }
    }

    /**
     * Also keeps the span of the call that has scheduled it: a class of its own, so that others have no room for it.
     */
    private static final class LinkedOneTime extends ObservedOneTime {

        private final RunOrigin origin;

        LinkedOneTime(RunFailures failures, ObservedRuns observed, Runnable task, RunOrigin origin) {
            super(failures, observed, task);
            this.origin = origin;
        }

        @Override
        RunOrigin origin() {
            return origin;
        }
    }

    /**
     * Brings a failure without a handler to the task's wrapper, which is as small as it is because it does not know
     * this.
     */
    @SuppressWarnings("serial")
    private static final class Unlogged extends RuntimeException {

        private final transient RunFailures failures;
        private final Throwable thrown;

        Unlogged(RunFailures failures, Throwable thrown) {
            super(null, null, false, false);
            this.failures = failures;
            this.thrown = thrown;
        }
    }

    /**
     * Returns the task to run in place of one whose failure goes to the waiters for its result, and is only counted.
     */
    public <T> Callable<T> count(Callable<T> task) {
        Objects.requireNonNull(task, "task must not be null");
        return new Counted<>(this, task);
    }

    /** Returns the same in place of a task without a result. */
    public Runnable count(Runnable task) {
        Objects.requireNonNull(task, "task must not be null");
        return () -> {
            OneTimeNotes told = notes;
            long startNanos = told == null ? 0 : told.nanoTime();
            Throwable thrown = null;
            try {
                task.run();
            } catch (Throwable ex) {
                thrown = ex;
                countOne();
                throw ex;
            } finally {
                if (told != null) {
                    told.ended(task, startNanos, thrown, null);
                }
            }
        };
    }

    /** Counts a failure. Needs no memory. */
    public void countOne() {
        count.incrementAndGet();
    }

    /** Returns the handler of the failures of a repeating task; one for each task. It does not count them. */
    public ErrorHandler seriesTarget(String task) {
        ErrorHandler set = handler;
        return set != null ? set : new SeriesFailureLog(task, logTime);
    }

    /** Returns the handler of the failures of a one-time task. It does not count them. */
    public ErrorHandler oneTimeTarget(Runnable task) {
        ErrorHandler set = handler;
        return set != null ? set : thrown -> logAndThrow(task, thrown);
    }

    /** Tells a handler, if it wants to know, that a run has gone well after one that failed. */
    public static void tellOfSuccess(ErrorHandler handler) {
        if (handler instanceof SeriesFailureLog log) {
            log.succeeded();
        }
    }

    /** Returns the handler of failures of triggers. */
    public ErrorHandler triggerHandler() {
        ErrorHandler set = handler;
        return set != null ? set : TaskUtils.getDefaultErrorHandler(true);
    }

    private ErrorHandler counting(ErrorHandler target) {
        return thrown -> {
            countOne();
            target.handleError(thrown);
        };
    }

    private void logAndThrow(Runnable task, Throwable thrown) {
        oneTimeLog.log(task, thrown);
        ReflectionUtils.rethrowRuntimeException(thrown);
    }

    /** Logs the suppressed failures, as the scheduler closes. Throws nothing. */
    public void sumUp() {
        oneTimeLog.sumUp();
    }

    /** Returns how many runs have failed so far. */
    public long count() {
        return count.get();
    }
}
