package io.github.wheelscheduler;

/** The largest of the values noted in the last one to two minutes. One writer, any readers. */
final class SlowestInWindow {

    private static final long WINDOW_NANOS = 60_000_000_000L;

    private volatile Window window = new Window(0, 0, 0, false);

    /**
     * Two neighbouring minutes.
     *
     * @param startNanos of the current one
     */
    private record Window(long startNanos, long previous, long current, boolean isUsed) {}

    /** Notes a value. One thread only. */
    void note(long value, long nowNanos) {
        Window seen = window;
        long age = nowNanos - seen.startNanos;
        if (!seen.isUsed || age >= 2 * WINDOW_NANOS) {
            window = new Window(nowNanos, 0, value, true);
        } else if (age >= WINDOW_NANOS) {
            window = new Window(seen.startNanos + WINDOW_NANOS, seen.current, value, true);
        } else if (value > seen.current) {
            window = new Window(seen.startNanos, seen.previous, value, true);
        }
    }

    /** Returns the largest value; 0 if none has been noted lately. */
    long max(long nowNanos) {
        Window seen = window;
        long age = nowNanos - seen.startNanos;
        if (!seen.isUsed || age >= 2 * WINDOW_NANOS) {
            return 0;
        }
        return age >= WINDOW_NANOS ? seen.current : Math.max(seen.previous, seen.current);
    }
}
