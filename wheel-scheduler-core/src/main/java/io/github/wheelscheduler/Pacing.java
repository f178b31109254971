package io.github.wheelscheduler;

/**
 * Has a say in when the next run of a task is due that repeats: what becomes of missed runs, and by how much runs are put off. One for each
 * timer. Called by the thread that arms the timer, one thread at a time; must be quick and not fail.
 */
public interface Pacing {

    /**
     * Of that many runs of a fixed rate that have been missed, returns how many are not made up: the first ones.
     *
     * @param missed at least 1
     * @param maxCatchUp how many the executor would make up
     */
    long skipped(long missed, int maxCatchUp);

    /** Returns for how long no run is to be due from now on, in nanoseconds; 0 for no such rest. Runs that it covers are left out. */
    long restNanos();

    /** Decides how much later than it is due the next run is to start, in nanoseconds; not negative. The phase stays. */
    long drawPutOffNanos();

    /** Returns what was decided last; 0 if nothing was. */
    long putOffNanos();
}
