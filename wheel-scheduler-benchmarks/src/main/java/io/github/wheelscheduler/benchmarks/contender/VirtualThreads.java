package io.github.wheelscheduler.benchmarks.contender;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/** Virtual threads from code that is compiled for a JDK without them. */
final class VirtualThreads {

    private static final int FIRST_JDK = 21;

    private VirtualThreads() {}

    static boolean areAvailable() {
        return Runtime.version().feature() >= FIRST_JDK;
    }

    /**
     * Returns the JDK's executor that starts one for each task.
     *
     * @throws IllegalArgumentException on a JDK without them
     */
    static ExecutorService executor() {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException ex) {
            throw new IllegalArgumentException(
                    "virtual threads need JDK " + FIRST_JDK + " or later, was " + Runtime.version(), ex);
        }
    }

    /**
     * Returns a factory of virtual threads.
     *
     * @throws IllegalArgumentException on a JDK without them
     */
    static ThreadFactory factory() {
        if (!areAvailable()) {
            throw new IllegalArgumentException(
                    "virtual threads need JDK " + FIRST_JDK + " or later, was " + Runtime.version());
        }
        return new VirtualThreadTaskExecutor("virtual-").getVirtualThreadFactory();
    }
}
