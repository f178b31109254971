package io.github.wheelscheduler.internal.spring.task;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * The task as passed to the user's decorator when it is scheduled; each run executes the decorated task. The decorator
 * may run the task once in a run, and on its thread, or the task could run beside itself. By the thread of the run.
 */
final class DecoratedBody implements Runnable {

    private final GuardedTask task;
    private final Runnable outer;

    /** The task of the current run; null while there is none. */
    private @Nullable Runnable body;

    /** The decorator has run the task in this run. */
    boolean hasRun;

    /** The exception that an error handler has rethrown, for the timer. */
    private @Nullable Throwable propagated;

    private DecoratedBody(GuardedTask task, TaskStore book) {
        this.task = task;
        this.outer = book.timers.decorate(this);
    }

    /** Asks the decorator; null if there is none, or it makes nothing of it. */
    static @Nullable DecoratedBody of(GuardedTask task, TaskStore book) {
        if (book.timers.decorator == null) {
            return null;
        }
        DecoratedBody body = new DecoratedBody(task, book);
        return body.outer == body ? null : body;
    }

    /**
     * Runs the decorated task; false if it has neither run the task nor failed. An exception of it is a failure of the
     * run.
     */
    boolean runOuter(Runnable current) {
        body = current;
        hasRun = false;
        propagated = null;
        try {
            outer.run();
        } catch (Throwable ex) {
            if (ex == propagated) {
                throw ex;
            }
            task.failed(current, ex);
            return true;
        } finally {
            body = null;
        }
        Throwable swallowed = propagated;
        if (swallowed != null) {
            ReflectionUtils.rethrowRuntimeException(swallowed);
        }
        return hasRun;
    }

    /** Runs the task for the decorator. */
    @Override
    public void run() {
        Runnable current = task.isOnThreadOfRun() ? body : null;
        if (current == null || hasRun) {
            return;
        }
        hasRun = true;
        try {
            task.runUndecorated(current);
        } catch (Throwable ex) {
            propagated = ex;
            throw ex;
        }
    }

    @Override
    public String toString() {
        return task.taskName();
    }
}
