package io.github.wheelscheduler.idle;

/**
 * Counts how many timeouts have been accepted or not, and how they have ended so far. While nothing moves, {@code
 * registered} is the sum of {@code expired}, {@code closed} and the open ones.
 *
 * @param registered have been accepted
 * @param expired have expired
 * @param closed have been closed in time, one by one or all together
 * @param rejected have not been accepted; they are in no other count
 * @param failures calls of the handler that threw an exception
 */
public record IdleTimeoutCounts(long registered, long expired, long closed, long rejected, long failures) {

    /** Returns how many are open; exact while nothing moves. */
    public long open() {
        return Math.max(0, registered - expired - closed);
    }
}
