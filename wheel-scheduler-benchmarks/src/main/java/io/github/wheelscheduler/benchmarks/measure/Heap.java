package io.github.wheelscheduler.benchmarks.measure;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;

/** The memory in use after collecting garbage. */
public final class Heap {

    private static final MemoryMXBean BEAN = ManagementFactory.getMemoryMXBean();
    private static final int ROUNDS = 4;
    private static final long BETWEEN_NANOS = 100_000_000;

    private Heap() {}

    /** Collects several times and returns the least that was in use afterwards. */
    public static long usedBytes() {
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            System.gc();
            Pause.nanos(BETWEEN_NANOS);
            least = Math.min(least, BEAN.getHeapMemoryUsage().getUsed());
        }
        return least;
    }

    /** Collects until no more than the limit is in use or the patience is at its end, and returns the least in use. */
    public static long usedBytesWithin(long patienceNanos, long limitBytes) {
        long giveUpNanos = System.nanoTime() + patienceNanos;
        long least = usedBytes();
        while (least > limitBytes && System.nanoTime() - giveUpNanos < 0) {
            least = Math.min(least, usedBytes());
        }
        return least;
    }
}
