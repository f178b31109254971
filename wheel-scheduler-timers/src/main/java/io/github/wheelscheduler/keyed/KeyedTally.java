package io.github.wheelscheduler.keyed;

import io.github.wheelscheduler.internal.StripedCount;

/**
 * Counts how many entries have been accepted or not, and how they have ended. Counting up needs no memory. Any thread.
 */
final class KeyedTally {

    final StripedCount set = new StripedCount();
    final StripedCount rejected = new StripedCount();

    // Each entry ends in one of these.
    final StripedCount fired = new StripedCount();
    final StripedCount removed = new StripedCount();
    final StripedCount replaced = new StripedCount();
    final StripedCount drained = new StripedCount();
    final StripedCount closed = new StripedCount();
    final StripedCount dropped = new StripedCount();

    KeyedTimerCounts read(long failures) {
        return new KeyedTimerCounts(
                set.sum(),
                fired.sum(),
                removed.sum(),
                replaced.sum(),
                drained.sum(),
                closed.sum(),
                dropped.sum(),
                rejected.sum(),
                failures);
    }
}
