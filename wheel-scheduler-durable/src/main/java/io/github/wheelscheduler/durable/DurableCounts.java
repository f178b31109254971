package io.github.wheelscheduler.durable;

/**
 * Counts of a node's work on durable tasks so far.
 *
 * @param waiting rows that are claimed and not started, now
 * @param running active runs, now
 * @param claimed rows that have been claimed
 * @param succeeded runs that have succeeded, counted when the database has committed their end
 * @param failed runs that have failed, retried or not, counted as succeeded ones are; cancelled runs are not among them
 * @param givenUp tasks that have failed permanently
 * @param takenOver rows of dead nodes that this node has released
 * @param lost rows that this node had claimed, but that another node owned when they were due or had run
 * @param givenBack claimed rows that this node has released, because other nodes may start them sooner
 * @param unreadable rows that this node has released because it cannot read their payload
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
        long unreadable) {}
