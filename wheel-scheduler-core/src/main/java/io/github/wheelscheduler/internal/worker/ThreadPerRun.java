package io.github.wheelscheduler.internal.worker;

import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes a new thread, usually a virtual one, for each run. Unless its factory gives it another, a thread has the context class
 * loader of the thread that created this, as that of the thread that starts it depends on which one that happens to be.
 */
public final class ThreadPerRun implements Executor, ThreadFactory {

    private final ThreadFactory factory;
    private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();

    public ThreadPerRun(ThreadFactory factory) {
        this.factory = factory;
    }

    @Override
    public Thread newThread(Runnable run) {
        Thread thread = WheelThreadFactory.newThread(factory, run);
        ClassLoader inherited = Thread.currentThread().getContextClassLoader();
        if (inherited != loader && thread.getContextClassLoader() == inherited) {
            thread.setContextClassLoader(loader);
        }
        return thread;
    }

    /** Starts the thread of the run. What fails is thrown. */
    @Override
    public void execute(Runnable run) {
        newThread(run).start();
    }
}
