package io.github.wheelscheduler.internal.worker;

/**
 * The capacity of the target as learned from rejections: the number of concurrent runs it accepts, and the wait before
 * the next offer. Feeder thread only.
 */
final class ExecutorCapacity {

    /*
     * The target is full with as many runs as it had when it refused one, or had before: offering more costs an
     * exception each time. It is offered more all the same when none has ended for a while, and after a number of runs,
     * because it may have other callers, too.
     */

    private static final long FIRST_PAUSE_NANOS = 1_000_000;
    private static final long LONGEST_PAUSE_NANOS = 100_000_000;

    /** The number of runs after which the capacity is measured again. */
    private static final int RUNS = 256;

    /**
     * When the target is full, the share of its runs, one in this number, that has to end before the next offer, unless
     * the pause is over.
     */
    private static final int BATCHES = 8;

    private static final int UNKNOWN = Integer.MAX_VALUE;

    private int limit = UNKNOWN;

    /** The number of runs that the target has had at a time. */
    private int highest;

    private int accepted;

    /** Nothing has ended during the last pause. */
    private boolean isOfferDue;

    /** The maximum wait when the target is full. */
    long pauseNanos = FIRST_PAUSE_NANOS;

    /** Whether it had better not be offered another run beside the ones that it has. */
    boolean isFull(int atTarget) {
        return atTarget >= limit && !isOfferDue;
    }

    /** Records that the target, which had a number of runs, has accepted another. */
    void accepted(int atTarget) {
        isOfferDue = false;
        // Not from the beginning: runs accepted one by one are rejected again at once.
        pauseNanos = Math.max(FIRST_PAUSE_NANOS, pauseNanos / 2);
        highest = Math.max(highest, atTarget + 1);
        accepted++;
        if (atTarget >= limit || accepted >= RUNS) {
            limit = UNKNOWN;
            highest = 0;
            accepted = 0;
        }
    }

    /** Records that the target, which had a number of runs, has rejected another, and returns the maximum wait. */
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
