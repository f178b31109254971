package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.Pacing;
import io.github.wheelscheduler.internal.StripedCount;
import org.jspecify.annotations.Nullable;

/** Computes when a periodic timer is due next, and how many missed runs of a fixed rate are caught up. */
final class CatchUp {

    private final int max;
    final StripedCount skippedRuns = new StripedCount();

    CatchUp(int max) {
        this.max = max;
    }

    /**
     * Returns the deadline that follows a run which has ended now; counts the runs that it skips: of those of a fixed
     * rate that have been missed, the last {@code max} are left.
     *
     * @param pacing the pacing of the task; the deadline is in phase, before the run is
     *     {@linkplain Pacing#putOffNanos postponed}
     */
    long nextDeadlineNanos(PeriodicTimer timer, @Nullable Pacing pacing, long nowNanos) {
        long interval = timer.intervalNanos();
        long rest = pacing == null ? 0 : pacing.restNanos();
        if (!timer.isFixedRate()) {
            return nowNanos + Math.max(interval, rest);
        }
        long inPhase = timer.exactDueNanos() - (pacing == null ? 0 : pacing.putOffNanos()) + interval;
        long missed = passed(inPhase, interval, nowNanos);
        // Runs due before a rest are missed; runs within the rest are not.
        long skipped = rest > 0 || missed == 0 ? missed : skipped(missed, pacing);
        countSkipped(timer, skipped);
        long next = inPhase + skipped * interval;
        return rest > 0 ? next + passed(next, interval, nowNanos + rest) * interval : next;
    }

    private long skipped(long missed, @Nullable Pacing pacing) {
        return pacing == null ? Math.max(0, missed - max) : pacing.skipped(missed, max);
    }

    /** Returns how many of the deadlines from that one on lie before that time. */
    private static long passed(long firstNanos, long period, long nanos) {
        return nanos - firstNanos <= 0 ? 0 : (nanos - firstNanos - 1) / period + 1;
    }

    private void countSkipped(PeriodicTimer timer, long skipped) {
        if (skipped > 0) {
            skippedRuns.add(skipped);
            try {
                if (timer.taskIfAny() instanceof ManagedTask managed) {
                    managed.missed(skipped);
                }
            } catch (Throwable ex) {
                // The series continues all the same.
            }
        }
    }
}
