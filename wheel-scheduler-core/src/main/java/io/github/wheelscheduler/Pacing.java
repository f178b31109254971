package io.github.wheelscheduler;

/**
 * Adjusts when a repeating task's next run is due: misfire policy, jitter and back-off. One for each timer. Called by
 * the thread that arms the timer, one thread at a time; must be quick and not fail.
 */
public interface Pacing {

    /**
     * Returns how many of the missed runs of a fixed rate are skipped, from the first one on.
     *
     * @param missed at least 1
     * @param maxCatchUp the number of runs that the executor would catch up
     */
    long skipped(long missed, int maxCatchUp);

    /**
     * Returns the rest from now on during which no run is due, in nanoseconds; 0 for none. Runs within it are skipped.
     */
    long restNanos();

    /**
     * Returns how late a run may start so that it shares a wake-up with others, in nanoseconds; 0 for not at all.
     * Called when the timer is created.
     *
     * @param usualNanos the start tolerance of the executor
     */
    default long startToleranceNanos(long usualNanos) {
        return usualNanos;
    }

    /**
     * Returns a tolerance in nanoseconds, halved until it is at most the limit. So starts by a long one are starts by a
     * short one, too.
     */
    static long cutTolerance(long nanos, long limitNanos) {
        // A deadline may lie ahead by half of all times itself.
        long limit = Math.max(0, Math.min(limitNanos, Long.MAX_VALUE / 4));
        long cut = Math.max(0, nanos);
        while (cut > limit) {
            cut /= 2;
        }
        return cut;
    }

    /**
     * Decides how much later than it is due the next run is to start, in nanoseconds; not negative. The phase stays.
     */
    long drawPutOffNanos();

    /** Returns the last decision; 0 if there is none. */
    long putOffNanos();
}
