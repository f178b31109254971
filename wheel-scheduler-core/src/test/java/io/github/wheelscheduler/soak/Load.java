package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.testing.WorkerKind;

/**
 * How much the workers get to do: what they can, so that nobody has to wait long in the end.
 *
 * @param periodNanos of the series
 * @param callers how many threads schedule one-time timers
 * @param mostFlood how many runs of a flood may be waiting; they must fit into the heap
 */
record Load(long periodNanos, int callers, int mostFlood) {

    private static final int FIRST_JDK_WITH_VIRTUAL_THREADS = 21;

    private static final Load FULL = new Load(10 * Nap.MILLI, 2, 100_000);

    /** A virtual thread takes up to two kilobytes, and the heap is small. */
    private static final Load OF_VIRTUAL_THREADS = new Load(10 * Nap.MILLI, 2, 10_000);

    /** A platform thread for each run takes its time. */
    private static final Load LIGHT = new Load(100 * Nap.MILLI, 1, 2_000);

    static Load of(WorkerKind kind) {
        if (kind != WorkerKind.THREAD_PER_RUN) {
            return FULL;
        }
        return Runtime.version().feature() < FIRST_JDK_WITH_VIRTUAL_THREADS ? LIGHT : OF_VIRTUAL_THREADS;
    }
}
