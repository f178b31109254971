package io.github.wheelscheduler.internal.worker;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Platform threads, no daemons, with normal priority, the thread group and context class loader of the thread that made
 * the factory, and without inherited thread-locals: nothing depends on which thread schedules first.
 */
public final class WheelThreadFactory implements ThreadFactory {

    private final String prefix;
    private final AtomicInteger count = new AtomicInteger();
    private final ThreadOrigin origin = new ThreadOrigin();

    public WheelThreadFactory(String prefix) {
        this.prefix = prefix;
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // the normal one, instead of the caller's
    public Thread newThread(Runnable task) {
        Thread thread = origin.newThread(null, task, prefix + count.incrementAndGet());
        thread.setDaemon(false);
        thread.setPriority(Thread.NORM_PRIORITY);
        return thread;
    }

    /**
     * Returns a new thread of a factory.
     *
     * @throws RejectedExecutionException if the factory returns null
     */
    public static Thread newThread(ThreadFactory factory, Runnable task) {
        Thread thread = factory.newThread(task);
        if (thread == null) {
            throw new RejectedExecutionException("The thread factory must return a thread, returned null");
        }
        return thread;
    }
}
