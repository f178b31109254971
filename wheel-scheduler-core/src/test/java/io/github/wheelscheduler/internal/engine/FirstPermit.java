package io.github.wheelscheduler.internal.engine;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/** Returns how many bytes the first taking of a permit takes, in a class loader that has this and the engine alone. */
public final class FirstPermit implements LongSupplier {

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Override
    public long getAsLong() {
        ScheduledTimer<?> timer = new PeriodicTimer(new CountingOwner(0), () -> {}, 0, 1, false);
        long ignored = threads.getCurrentThreadAllocatedBytes();
        long before = threads.getCurrentThreadAllocatedBytes();
        boolean isTaken = timer.takePermit();
        long taken = threads.getCurrentThreadAllocatedBytes() - before;
        return isTaken ? taken : -1;
    }
}
