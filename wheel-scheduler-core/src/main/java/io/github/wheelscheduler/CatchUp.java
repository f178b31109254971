package io.github.wheelscheduler;

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
        long missed = (nowNanos - next - 1) / period + 1;
        long skipped = Math.max(0, missed - max);
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
