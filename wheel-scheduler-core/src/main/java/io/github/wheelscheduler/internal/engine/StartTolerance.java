package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.Pacing;
import org.jspecify.annotations.Nullable;

/**
 * Lets runs of repeating timers share wake-ups: a run that may start late is handed over at the next multiple of its
 * tolerance on the monotonic clock. Nanoseconds; 0 is no tolerance.
 */
final class StartTolerance {

    /*
     *      tolerance 4          0       4       8       12
     *                           |.......|.......|.......|
     *      due at 1, 3, 6         A   B     C
     *      handed over at               A,B     C
     *
     * Where a tolerance is too long for a timer, it is halved, so that the multiples of the longer ones are also those
     * of the shorter ones, and timers with different tolerances meet. No timer knows of another, and the wheel need not
     * know of any of this.
     */

    private StartTolerance() {}

    /** Returns the tolerance of a timer whose task has that pacing, cut to the limit. */
    static long of(@Nullable Pacing pacing, long usualNanos, long limitNanos) {
        return Pacing.cutTolerance(pacing == null ? usualNanos : pacing.startToleranceNanos(usualNanos), limitNanos);
    }

    /**
     * Returns when a run is handed over that is due at that time; the tolerance is positive, and its end is never
     * reached.
     */
    static long startOf(long dueNanos, long toleranceNanos) {
        return dueNanos + Math.floorMod(-dueNanos, toleranceNanos);
    }
}
