package io.github.wheelscheduler.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.util.CustomizableThreadCreator;

/**
 * Creates threads with a scheduler's settings, and with class loader and group of the thread that has initialized it. From the thread
 * that happens to need the first one, they have nothing.
 */
final class SchedulerThreads {

    private final CustomizableThreadCreator settings;
    private @Nullable ClassLoader contextClassLoader;
    private @Nullable ThreadGroup group;

    /** Makes one for a scheduler that has not been initialized. */
    SchedulerThreads(CustomizableThreadCreator settings) {
        this.settings = settings;
    }

    /** Gives further threads what the calling thread has, which initializes the scheduler. */
    void followCaller() {
        Thread caller = Thread.currentThread();
        contextClassLoader = caller.getContextClassLoader();
        group = caller.getThreadGroup();
    }

    @SuppressWarnings("ThreadPriorityCheck") // the user's setting
    Thread newThread(Runnable runnable, String name) {
        Thread thread = newInGroup(runnable, name);
        thread.setPriority(settings.getThreadPriority());
        thread.setDaemon(settings.isDaemon());
        thread.setContextClassLoader(contextClassLoader);
        return thread;
    }

    private Thread newInGroup(Runnable runnable, String name) {
        ThreadGroup set = settings.getThreadGroup();
        if (set == null && group != null) {
            try {
                return new Thread(group, runnable, name, 0, false);
            } catch (IllegalThreadStateException ex) {
                // JDK 17 may destroy a group whose threads have ended: then any other is better.
            }
        }
        return new Thread(set, runnable, name, 0, false);
    }
}
