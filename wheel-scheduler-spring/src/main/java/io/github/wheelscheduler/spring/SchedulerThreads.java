package io.github.wheelscheduler.spring;

import io.github.wheelscheduler.internal.worker.ThreadOrigin;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.util.CustomizableThreadCreator;

/**
 * Creates threads with a scheduler's settings, and with class loader and group of the thread that has initialized it.
 * From the thread that happens to need the first one, they have nothing.
 */
final class SchedulerThreads {

    private final CustomizableThreadCreator settings;
    private @Nullable ThreadOrigin origin;
    private @Nullable ThreadFactory virtualThreads;

    /** Creates one for a scheduler that has not been initialized. */
    SchedulerThreads(CustomizableThreadCreator settings) {
        this.settings = settings;
    }

    /**
     * Gives further threads what the calling thread has, which initializes the scheduler.
     *
     * @throws UnsupportedOperationException if there are to be virtual threads, and the JDK has none
     */
    void followCaller(boolean hasVirtualThreads) {
        ThreadOrigin caller = new ThreadOrigin();
        virtualThreads = hasVirtualThreads ? caller.virtualThreads(settings.getThreadNamePrefix()) : null;
        origin = caller;
    }

    @SuppressWarnings("ThreadPriorityCheck") // the user's setting
    Thread newThread(Runnable runnable, String name) {
        ThreadOrigin known = origin;
        // Before the scheduler is initialized, there is no other thread to follow.
        Thread thread =
                (known == null ? new ThreadOrigin() : known).newThread(settings.getThreadGroup(), runnable, name);
        thread.setPriority(settings.getThreadPriority());
        thread.setDaemon(settings.isDaemon());
        return thread;
    }

    /**
     * Returns a new virtual thread.
     *
     * @throws IllegalStateException if the scheduler is not initialized
     */
    Thread newVirtualThread(Runnable runnable) {
        ThreadFactory factory = virtualThreads;
        if (factory == null) {
            throw new IllegalStateException(
                    "The scheduler must be initialized before it makes virtual threads: call initialize() first");
        }
        return factory.newThread(runnable);
    }
}
