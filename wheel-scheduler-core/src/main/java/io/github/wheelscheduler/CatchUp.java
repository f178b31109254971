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
        // What was due before the rest is missed; what the rest covers is not.
        long missed = passed(inPhase, interval, nowNanos);
        countSkipped(timer, missed);
        long afterMissed = inPhase + missed * interval;
        return afterMissed + passed(afterMissed, interval, nowNanos + rest) * interval;
    }

    /** Returns how many of the deadlines from that one on lie before that time. */
    private static long passed(long firstNanos, long period, long nanos) {
        return nanos - firstNanos <= 0 ? 0 : (nanos - firstNanos - 1) / period + 1;
    }

    /** Of the deadlines that have passed, only the last ones are left that are to be made up. */
    private long nextInPhase(PeriodicTimer timer, @Nullable Pacing pacing, long next, long nowNanos) {
        if (next - nowNanos >= 0) {
            return next;
        }
        long period = timer.intervalNanos();
        long missed = passed(next, period, nowNanos);
        long skipped = pacing == null ? Math.max(0, missed - max) : pacing.skipped(missed, max);
        countSkipped(timer, skipped);
        return next + skipped * period;
    }

    private void countSkipped(PeriodicTimer timer, long skipped) {
        if (skipped > 0) {
            skippedRuns.add(skipped);
            if (timer.taskIfAny() instanceof ManagedTask managed) {
                tell(managed, skipped);
            }
        }
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
