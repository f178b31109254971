package io.github.wheelscheduler.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.util.CustomizableThreadCreator;

/**
 * Creates threads with a scheduler's settings, and with class loader and group of the thread that has initialized it. From the thread
 * that happens to need the first one, they have nothing.
 */
final class SchedulerThreads {

    private final CustomizableThreadCreator settings;
    private final @Nullable ClassLoader contextClassLoader;
    private final @Nullable ThreadGroup group;

    private SchedulerThreads(
            CustomizableThreadCreator settings, @Nullable ClassLoader contextClassLoader, @Nullable ThreadGroup group) {
        this.settings = settings;
        this.contextClassLoader = contextClassLoader;
        this.group = group;
    }

    /** For a scheduler that has not been initialized. */
    static SchedulerThreads ofNobody(CustomizableThreadCreator settings) {
        return new SchedulerThreads(settings, null, null);
    }

    /** For a scheduler that the calling thread initializes. */
    static SchedulerThreads ofCaller(CustomizableThreadCreator settings) {
        Thread caller = Thread.currentThread();
        return new SchedulerThreads(settings, caller.getContextClassLoader(), caller.getThreadGroup());
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
