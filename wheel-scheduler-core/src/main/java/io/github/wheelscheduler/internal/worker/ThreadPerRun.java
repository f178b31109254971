package io.github.wheelscheduler.internal.worker;

import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes a new thread, usually a virtual one, for each run. The factory is asked with the context class loader of the
 * thread that created this, so that a thread which inherits one has that, no matter which thread starts it.
 */
public final class ThreadPerRun implements Executor, ThreadFactory {

    private final ThreadFactory factory;
    private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();

    public ThreadPerRun(ThreadFactory factory) {
        this.factory = factory;
    }

    @Override
    public Thread newThread(Runnable run) {
        Thread caller = Thread.currentThread();
        ClassLoader own = caller.getContextClassLoader();
        if (own == loader) {
            return WheelThreadFactory.newThread(factory, run);
        }
        try {
            caller.setContextClassLoader(loader);
        } catch (RuntimeException ex) {
            // Threads of the common pool keep theirs.
            return newThread(run, own);
        }
        try {
            return WheelThreadFactory.newThread(factory, run);
        } finally {
            caller.setContextClassLoader(own);
        }
    }

    private Thread newThread(Runnable run, @Nullable ClassLoader inherited) {
        Thread thread = WheelThreadFactory.newThread(factory, run);
        if (thread.getContextClassLoader() == inherited) {
            thread.setContextClassLoader(loader);
        }
        return thread;
    }

    /** Starts the thread of the run. Throws the failure of the start. */
    @Override
    public void execute(Runnable run) {
        newThread(run).start();
    }
}
