package io.github.wheelscheduler.keyed;

/**
 * Counts how many entries have been accepted or not, and how they have ended so far. While nothing moves, {@code set}
 * is the sum of {@code fired}, {@code removed}, {@code replaced}, {@code drained}, {@code closed}, {@code dropped} and
 * the pending ones; a moved entry stays the same one.
 *
 * @param set have been accepted
 * @param fired have been given to the handler
 * @param removed have been removed in time
 * @param replaced have been replaced in time
 * @param drained have been given to the consumer of a drain
 * @param closed were pending when the timers were closed
 * @param dropped have not been found when their time came, as their keys had changed
 * @param rejected have not been accepted; they are in no other count
 * @param failures calls of the handler that threw an exception
 */
public record KeyedTimerCounts(
        long set,
        long fired,
        long removed,
        long replaced,
        long drained,
        long closed,
        long dropped,
        long rejected,
        long failures) {

    /** Returns how many entries are pending; exact while nothing moves. */
    public long pending() {
        return Math.max(0, set - fired - removed - replaced - drained - closed - dropped);
    }
}
