package io.github.wheelscheduler.internal.worker;

import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Group and context class loader of the thread that makes this, for the threads that it makes: those have nothing from
 * the thread that happens to need one, no inheritable thread-locals either. Any thread.
 */
public final class ThreadOrigin {

    /** Parts of the public API of JDK 21, which the compiler for Java 17 does not know. */
    private static final String BUILDER = "java.lang.Thread$Builder$OfVirtual";

    private final @Nullable ThreadGroup group = Thread.currentThread().getThreadGroup();
    private final @Nullable ClassLoader contextClassLoader =
            Thread.currentThread().getContextClassLoader();

    /** Takes group and context class loader of the calling thread. */
    public ThreadOrigin() {}

    /** Returns a new platform thread, in the group if there is one, else in that of this. */
    public Thread newThread(@Nullable ThreadGroup set, Runnable code, String name) {
        Thread thread = newInGroup(set, code, name);
        return withLoader(thread);
    }

    /** Returns a new platform thread that is a daemon, of normal priority. */
    @SuppressWarnings("ThreadPriorityCheck") // the normal one, instead of the caller's
    public Thread newDaemon(Runnable code, String name) {
        Thread thread = newThread(null, code, name);
        thread.setDaemon(true);
        thread.setPriority(Thread.NORM_PRIORITY);
        return thread;
    }

    private Thread newInGroup(@Nullable ThreadGroup set, Runnable code, String name) {
        if (set == null && group != null) {
            try {
                return new Thread(group, code, name, 0, false);
            } catch (IllegalThreadStateException ex) {
                // JDK 17 may destroy a group whose threads have ended: then any other is better.
            }
        }
        return new Thread(set, code, name, 0, false);
    }

    /**
     * Not before it exists: a thread that inherits no thread-locals has the loader of its maker on JDK 17, and the
     * system's on others.
     */
    private Thread withLoader(Thread thread) {
        thread.setContextClassLoader(contextClassLoader);
        return thread;
    }

    /**
     * Returns a factory of virtual threads, whose names are the prefix and a number from 0.
     *
     * @throws UnsupportedOperationException if the JDK has none
     */
    public ThreadFactory virtualThreads(String prefix) {
        ThreadFactory factory = virtualFactory(prefix);
        return code -> withLoader(factory.newThread(code));
    }

    private static ThreadFactory virtualFactory(String prefix) {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName(BUILDER);
            Object heirless = type.getMethod("inheritInheritableThreadLocals", boolean.class)
                    .invoke(builder, false);
            Object named = type.getMethod("name", String.class, long.class).invoke(heirless, prefix, 0L);
            return (ThreadFactory) type.getMethod("factory").invoke(named);
        } catch (NoSuchMethodException | InvocationTargetException ex) {
            throw new UnsupportedOperationException(
                    "Virtual threads must be supported by the JDK (21 or later), was " + Runtime.version(), ex);
        } catch (ReflectiveOperationException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
