package io.github.wheelscheduler.spring.task;

import io.github.wheelscheduler.Pacing;
import io.github.wheelscheduler.spring.settings.MissedRuns;

/** Applies a task's rules to one of its timers. By whoever arms the timer, and its runs, one at a time. */
final class Pace implements Pacing {

    private final RegisteredTask task;
    private final TaskRules rules;
    private long putOffNanos;

    /** So many of the runs that were missed before the last one has started, which stands for them. */
    private long absorbed;

    Pace(RegisteredTask task, TaskRules rules) {
        this.task = task;
        this.rules = rules;
    }

    /**
     * Whether the run of a fixed rate that starts so late is not to take place, as it has been missed; else it stands for those that
     * were missed before it, if one is to stand for all.
     */
    boolean skips(long lateNanos) {
        absorbed = 0;
        long period = task.ratePeriodNanos();
        if (lateNanos < period) {
            return false;
        }
        MissedRuns policy = rules.missedRuns(MissedRuns.CATCH_UP);
        if (policy == MissedRuns.LATEST) {
            absorbed = lateNanos / period;
        }
        return policy == MissedRuns.SKIP;
    }

    @Override
    public long skipped(long missed, int maxCatchUp) {
        long stoodFor = Math.min(missed, absorbed);
        absorbed = 0;
        return switch (rules.missedRuns(MissedRuns.CATCH_UP)) {
            case CATCH_UP -> Math.max(0, missed - maxCatchUp);
            // Of those that were missed during the run, the last one is made up.
            case LATEST -> stoodFor + Math.max(0, missed - stoodFor - 1);
            case SKIP -> missed;
        };
    }

    @Override
    public long restNanos() {
        return rules.takeRestNanos();
    }

    @Override
    public long drawPutOffNanos() {
        putOffNanos = rules.jitterNanos(task.id(), task.ratePeriodNanos());
        return putOffNanos;
    }

    @Override
    public long putOffNanos() {
        return putOffNanos;
    }
}
