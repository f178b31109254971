package io.github.wheelscheduler.durable;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What a node has done with durable tasks so far.
 *
 * @param waiting rows that are claimed and not started, now
 * @param running runs that are going on, now
 * @param claimed rows that have been claimed
 * @param succeeded runs that have come to a good end
 * @param failed runs that have failed, be they retried or not
 * @param givenUp tasks that have failed for good
 * @param takenOver rows of dead nodes that this node has freed
 * @param lost rows that were claimed here, and then found to be another node's
 * @param givenBack rows that were claimed here and given back, as other nodes may start them sooner
 * @param unreadable rows that were set aside because this node cannot read their payload
 */
public record DurableCounts(
        int waiting,
        int running,
        long claimed,
        long succeeded,
        long failed,
        long givenUp,
        long takenOver,
        long lost,
        long givenBack,
        long unreadable) {

    /** Counts what becomes of rows on this node. Any thread. */
    static final class Tally {

        final AtomicLong claimed = new AtomicLong();
        final AtomicLong succeeded = new AtomicLong();
        final AtomicLong failed = new AtomicLong();
        final AtomicLong givenUp = new AtomicLong();
        final AtomicLong takenOver = new AtomicLong();
        final AtomicLong lost = new AtomicLong();
        final AtomicLong givenBack = new AtomicLong();
        final AtomicLong unreadable = new AtomicLong();

        DurableCounts read(int waiting, int running) {
            return new DurableCounts(
                    waiting,
                    running,
                    claimed.get(),
                    succeeded.get(),
                    failed.get(),
                    givenUp.get(),
                    takenOver.get(),
                    lost.get(),
                    givenBack.get(),
                    unreadable.get());
        }
    }
}
