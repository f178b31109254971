package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.Pacing;
import io.github.wheelscheduler.spring.settings.MissedRuns;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.util.concurrent.TimeUnit;

/** Applies a task's rules to one of its timers. Called by the thread that arms the timer, and by its runs, one at a time. */
final class Pace implements Pacing {

    private final TaskSeries task;
    private final TaskRules rules;

    /** Of the timer's fixed rate; the longest there is for none. */
    private final long periodNanos;

    private long putOffNanos;

    /** So many of the runs that were missed before the last one has started, which stands for them. */
    private long absorbed;

    Pace(TaskSeries task, TaskRules rules, TaskSchedule schedule) {
        this.task = task;
        this.rules = rules;
        this.periodNanos = schedule instanceof TaskSchedule.FixedRate rate
                ? TimeUnit.NANOSECONDS.convert(rate.period())
                : Long.MAX_VALUE;
    }

    /**
     * Whether the run of a fixed rate that starts so late is not to take place, as it has been missed; else it stands for those that
     * were missed before it, if one is to stand for all.
     */
    boolean skips(long lateNanos) {
        MissedRuns policy = rules.missedRuns(MissedRuns.CATCH_UP);
        // Deadlines are counted in phase, from before the run was put off.
        absorbed = policy == MissedRuns.LATEST && lateNanos > 0 ? (lateNanos + putOffNanos) / periodNanos : 0;
        return policy == MissedRuns.SKIP && lateNanos >= periodNanos;
    }

    @Override
    public long skipped(long missed, int maxCatchUp) {
        long stoodFor = Math.min(missed, absorbed);
        absorbed = 0;
        MissedRuns policy = rules.missedRuns(MissedRuns.CATCH_UP);
        if (policy == MissedRuns.CATCH_UP) {
            return Math.max(0, missed - maxCatchUp);
        }
        // Of the runs that were missed during the run, the last one is made up.
        return policy == MissedRuns.SKIP ? missed : stoodFor + Math.max(0, missed - stoodFor - 1);
    }

    @Override
    public long restNanos() {
        return rules.takeRestNanos();
    }

    @Override
    public long drawPutOffNanos() {
        putOffNanos = rules.jitterNanos(task.id(), periodNanos);
        return putOffNanos;
    }

    @Override
    public long putOffNanos() {
        return putOffNanos;
    }
}
