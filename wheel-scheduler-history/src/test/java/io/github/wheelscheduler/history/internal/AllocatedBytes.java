package io.github.wheelscheduler.history.internal;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/** The bytes that threads have allocated so far: a load of the machine does not change them. */
final class AllocatedBytes {

    private AllocatedBytes() {}

    private static ThreadMXBean threads() {
        return (ThreadMXBean) ManagementFactory.getThreadMXBean();
    }

    /** Returns those of all threads that are alive. */
    static long ofAllThreads() {
        long[] bytes = threads().getThreadAllocatedBytes(threads().getAllThreadIds());
        return Arrays.stream(bytes).filter(each -> each > 0).sum();
    }

    /** Returns those of the calling thread. */
    static long ofThisThread() {
        return threads().getThreadAllocatedBytes(Thread.currentThread().getId());
    }
}
