package io.github.wheelscheduler.internal.engine;

/** The delays by which the tick thread wakes up later than requested. One writer, any readers. */
final class OversleepStatistics {

    private static final long WINDOW_NANOS = 60_000_000_000L;

    volatile long count;
    volatile long totalNanos;
    private volatile Window window = new Window(0, 0, 0, false);

    /**
     * The longest ones of two neighbouring minutes.
     *
     * @param startNanos of the current one
     */
    private record Window(long startNanos, long previous, long current, boolean isUsed) {}

    /**
     * Notes that a sleep ended so much after its time; a sleep that ended early, or on time, is none. One thread only.
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    void note(long nanos, long nowNanos) {
        if (nanos <= 0) {
            return;
        }
        count++;
        totalNanos += nanos;
        Window seen = window;
        long age = nowNanos - seen.startNanos;
        if (!seen.isUsed || age >= 2 * WINDOW_NANOS) {
            window = new Window(nowNanos, 0, nanos, true);
        } else if (age >= WINDOW_NANOS) {
            window = new Window(seen.startNanos + WINDOW_NANOS, seen.current, nanos, true);
        } else if (nanos > seen.current) {
            window = new Window(seen.startNanos, seen.previous, nanos, true);
        }
    }

    /** Returns the longest of the last one to two minutes; 0 if there was none. */
    long longestNanos(long nowNanos) {
        Window seen = window;
        long age = nowNanos - seen.startNanos;
        if (!seen.isUsed || age >= 2 * WINDOW_NANOS) {
            return 0;
        }
        return age >= WINDOW_NANOS ? seen.current : Math.max(seen.previous, seen.current);
    }
}
