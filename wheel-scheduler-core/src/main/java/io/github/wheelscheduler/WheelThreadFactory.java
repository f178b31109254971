package io.github.wheelscheduler;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Platform threads with the context class loader of whoever made the factory, and without inherited thread-locals. */
final class WheelThreadFactory implements ThreadFactory {

    private final String prefix;
    private final AtomicInteger count = new AtomicInteger();
    private final @Nullable ClassLoader contextClassLoader =
            Thread.currentThread().getContextClassLoader();

    WheelThreadFactory(String prefix) {
        this.prefix = prefix;
    }

    @Override
    public Thread newThread(Runnable task) {
        Thread thread = new Thread(null, task, prefix + count.incrementAndGet(), 0, false);
        thread.setContextClassLoader(contextClassLoader);
        return thread;
    }
}
