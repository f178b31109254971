package io.github.wheelscheduler.internal.worker;

/**
 * What the feeder has learned from refusals: how many runs the target takes at a time, and how long to wait before the next
 * offer. Feeder thread only.
 */
final class ExecutorCapacity {

    /*
     * The target is full with as many runs as it had when it refused one, or had before: offering more costs an exception
     * each time. It is offered more all the same when none has ended for a while, and after a number of runs, because it may
     * have other callers, too.
     */

    private static final long FIRST_PAUSE_NANOS = 1_000_000;
    private static final long LONGEST_PAUSE_NANOS = 100_000_000;

    /** After so many runs it is found out again. */
    private static final int RUNS = 256;

    /** When the target is full, one in so many of its runs has to end before the next offer, unless the pause is over. */
    private static final int BATCHES = 8;

    private static final int UNKNOWN = Integer.MAX_VALUE;

    private int limit = UNKNOWN;

    /** So many runs the target has had at a time. */
    private int highest;

    private int accepted;

    /** Nothing has ended during the last pause. */
    private boolean isOfferDue;

    /** How long to wait at most when the target is full. */
    long pauseNanos = FIRST_PAUSE_NANOS;

    /** Whether it had better not be offered another run beside the ones that it has. */
    boolean isFull(int atTarget) {
        return atTarget >= limit && !isOfferDue;
    }

    /** Notes that the target, which had so many runs, has taken another. */
    void accepted(int atTarget) {
        isOfferDue = false;
        // Not from the beginning: what is taken one by one is refused again at once.
        pauseNanos = Math.max(FIRST_PAUSE_NANOS, pauseNanos / 2);
        highest = Math.max(highest, atTarget + 1);
        accepted++;
        if (atTarget >= limit || accepted >= RUNS) {
            limit = UNKNOWN;
            highest = 0;
            accepted = 0;
        }
    }

    /** Notes that the target, which had so many runs, has refused another, and returns how long to wait at most. */
    long refused(int atTarget) {
        isOfferDue = false;
        if (atTarget > 0) {
            limit = Math.max(atTarget, highest);
        }
        long pause = pauseNanos;
        pauseNanos = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
        return pause;
    }

    /** Returns how many runs have to end before the next offer. */
    int batch(int atTarget) {
        return Math.max(1, atTarget / BATCHES);
    }

    /** Notes that the pause is over, and whether enough runs have ended meanwhile. */
    void waited(boolean enoughEnded) {
        isOfferDue = !enoughEnded;
    }
}
