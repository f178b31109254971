package io.github.wheelscheduler;

/** How much later than asked for the tick thread wakes up. One writer, any readers. */
final class Oversleeps {

    private final SlowestInWindow longest = new SlowestInWindow();
    private volatile long count;
    private volatile long totalNanos;

    /** Notes that a sleep ended so much after its time; a sleep that ended early, or on time, is none. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    void note(long nanos, long nowNanos) {
        if (nanos > 0) {
            count++;
            totalNanos += nanos;
            longest.note(nanos, nowNanos);
        }
    }

    long count() {
        return count;
    }

    long totalNanos() {
        return totalNanos;
    }

    long longestNanos(long nowNanos) {
        return longest.max(nowNanos);
    }
}
