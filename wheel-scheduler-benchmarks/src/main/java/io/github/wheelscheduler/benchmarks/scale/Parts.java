package io.github.wheelscheduler.benchmarks.scale;

/**
 * The costs of the parts of one timer's way, in nanoseconds.
 *
 * @param localNanos of a caller's schedule and cancel, what callers do side by side
 * @param sharedNanos of the same, what those do one after the other that have the same stripe of the inbox: moving its
 *     index and writing beside each other
 * @param dropNanos of the tick thread: take one out of the inbox that has been cancelled
 * @param routeNanos of the tick thread: take in, cascade, expire, hand over
 * @param runNanos of a worker: take, start, run nothing, end
 */
record Parts(double localNanos, double sharedNanos, double dropNanos, double routeNanos, double runNanos) {

    /** Returns the same parts where the memory that threads share is so many times as slow. */
    Parts withSlowerSharing(double factor) {
        return new Parts(localNanos, sharedNanos * factor, dropNanos, routeNanos, runNanos);
    }
}
