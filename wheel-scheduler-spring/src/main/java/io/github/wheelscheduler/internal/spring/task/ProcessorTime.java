package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.TimeSource;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** The processor time of a thread; where that is not known, as of a virtual thread, the time that goes by. */
public final class ProcessorTime {

    private ProcessorTime() {}

    /** Returns a condition, for the calling thread, on whether it has used that much time from now on. */
    public static BooleanSupplier isUpIn(Duration most) {
        TimeSource machine = new TimeSource();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long startNanos = nanosOf(threads);
        long startedNanos = machine.nanoTime();
        return () ->
                (startNanos < 0 ? machine.nanoTime() - startedNanos : nanosOf(threads) - startNanos) >= most.toNanos();
    }

    private static long nanosOf(ThreadMXBean threads) {
        try {
            return threads.isCurrentThreadCpuTimeSupported() ? threads.getCurrentThreadCpuTime() : -1;
        } catch (UnsupportedOperationException ex) {
            return -1;
        }
    }
}
