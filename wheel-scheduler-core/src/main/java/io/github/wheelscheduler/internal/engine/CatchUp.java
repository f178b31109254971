package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.Pacing;
import io.github.wheelscheduler.internal.StripedCount;

/** Says when a periodic timer is due next, and how many missed runs of a fixed rate are made up. */
final class CatchUp {

    private final int max;
    private final StripedCount skippedRuns = new StripedCount();

    CatchUp(int max) {
        this.max = max;
    }

    /** Returns the deadline that follows a run which has ended now; counts the runs that it skips. */
    long nextDeadlineNanos(PeriodicTimer timer, long nowNanos) {
        long interval = timer.intervalNanos();
        return timer.isFixedRate()
                ? nextInPhase(timer, timer.exactDeadlineNanos() + interval, nowNanos)
                : nowNanos + interval;
    }

    /** Of the deadlines that have passed, only the last {@code max} are left. */
    private long nextInPhase(PeriodicTimer timer, long next, long nowNanos) {
        if (next - nowNanos >= 0) {
            return next;
        }
        long period = timer.intervalNanos();
        long skipped = Math.max(0, passed(next, period, nowNanos) - max);
        countSkipped(timer, skipped);
        return next + skipped * period;
    }

    /** Returns the same where the task has a {@link Pacing}: in phase, before the run is {@linkplain Pacing#putOffNanos put off}. */
    long pacedDeadlineNanos(PeriodicTimer timer, Pacing pacing, long nowNanos) {
        long interval = timer.intervalNanos();
        long rest = pacing.restNanos();
        if (!timer.isFixedRate()) {
            return nowNanos + Math.max(interval, rest);
        }
        long inPhase = timer.exactDeadlineNanos() - pacing.putOffNanos() + interval;
        long missed = passed(inPhase, interval, nowNanos);
        // What was due before a rest is missed; what the rest covers is not.
        long skipped = rest > 0 ? missed : missed == 0 ? 0 : pacing.skipped(missed, max);
        countSkipped(timer, skipped);
        long next = inPhase + skipped * interval;
        return rest > 0 ? next + passed(next, interval, nowNanos + rest) * interval : next;
    }

    /** Returns how many of the deadlines from that one on lie before that time. */
    private static long passed(long firstNanos, long period, long nanos) {
        return nanos - firstNanos <= 0 ? 0 : (nanos - firstNanos - 1) / period + 1;
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
