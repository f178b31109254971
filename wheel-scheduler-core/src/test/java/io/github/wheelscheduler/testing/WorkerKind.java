package io.github.wheelscheduler.testing;

import io.github.wheelscheduler.WheelScheduledExecutorBuilder;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The three ways in which an executor gets its runs run. */
public enum WorkerKind {
    ELASTIC,
    THREAD_PER_RUN,
    GIVEN_EXECUTOR;

    /** Sets the builder up. Threads per run are virtual where the JDK has them. */
    public WheelScheduledExecutorBuilder applyTo(WheelScheduledExecutorBuilder builder) {
        return switch (this) {
            case ELASTIC -> builder;
            case THREAD_PER_RUN -> builder.threadPerRun(lightThreads());
            case GIVEN_EXECUTOR -> builder.executor(smallPool());
        };
    }

    /** Its threads are daemons and end when they are idle, because the executor does not shut it down. */
    private static ExecutorService smallPool() {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(4, 4, 100, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "given");
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** Returns a factory of virtual threads; of others where the JDK has none. */
    public static ThreadFactory lightThreads() {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            return (ThreadFactory) type.getMethod("factory").invoke(builder);
        } catch (NoSuchMethodException ex) {
            return Thread::new;
        } catch (ReflectiveOperationException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
