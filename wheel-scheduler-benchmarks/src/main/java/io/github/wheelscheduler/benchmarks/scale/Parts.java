package io.github.wheelscheduler.benchmarks.scale;

/**
 * What the parts of one timer's way cost, in nanoseconds.
 *
 * @param localNanos of a caller's schedule and cancel, what callers do side by side
 * @param sharedNanos of the same, what they do one after the other: moving the inbox's index and writing beside each other
 * @param routeNanos of the tick thread: take in, cascade, expire, hand over
 * @param runNanos of a worker: take, start, run nothing, end
 */
record Parts(double localNanos, double sharedNanos, double routeNanos, double runNanos) {

    /** Returns the same parts where the memory that threads share is so many times as slow. */
    Parts withSlowerSharing(double factor) {
        return new Parts(localNanos, sharedNanos * factor, routeNanos, runNanos);
    }
}
