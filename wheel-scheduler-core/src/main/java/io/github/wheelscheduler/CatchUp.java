package io.github.wheelscheduler;

import org.jspecify.annotations.Nullable;

/** Says when a periodic timer is due next, and how many missed runs of a fixed rate are made up. */
final class CatchUp {

    private final int max;
    private final StripedCount skippedRuns = new StripedCount();

    CatchUp(int max) {
        this.max = max;
    }

    /**
     * Returns the deadline in phase that follows a run which has ended now, before the run is {@linkplain Pacing#putOffNanos put
     * off}; counts the runs that it skips.
     */
    long nextDeadlineNanos(PeriodicTimer timer, @Nullable Pacing pacing, long nowNanos) {
        long interval = timer.intervalNanos();
        if (pacing == null) {
            return timer.isFixedRate()
                    ? nextInPhase(timer, null, timer.exactDeadlineNanos() + interval, nowNanos)
                    : nowNanos + interval;
        }
        long rest = pacing.restNanos();
        if (!timer.isFixedRate()) {
            return nowNanos + Math.max(interval, rest);
        }
        long inPhase = timer.exactDeadlineNanos() - pacing.putOffNanos() + interval;
        if (rest == 0) {
            return nextInPhase(timer, pacing, inPhase, nowNanos);
        }
        // What a rest covers is not missed.
        long tooEarly = nowNanos + rest - inPhase;
        return tooEarly <= 0 ? inPhase : inPhase + ((tooEarly - 1) / interval + 1) * interval;
    }

    /** Of the deadlines that have passed, only the last ones are left that are to be made up. */
    private long nextInPhase(PeriodicTimer timer, @Nullable Pacing pacing, long next, long nowNanos) {
        if (next - nowNanos >= 0) {
            return next;
        }
        long period = timer.intervalNanos();
        long missed = (nowNanos - next - 1) / period + 1;
        long skipped = pacing == null ? Math.max(0, missed - max) : pacing.skipped(missed, max);
        if (skipped > 0) {
            skippedRuns.add(skipped);
            if (timer.taskIfAny() instanceof ManagedTask managed) {
                tell(managed, skipped);
            }
        }
        return next + skipped * period;
    }

    private static void tell(ManagedTask task, long skipped) {
        try {
            task.missed(skipped);
        } catch (Throwable ex) {
            // The series goes on all the same.
        }
    }

    long skippedRuns() {
        return skippedRuns.sum();
    }
}
