package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.Pacing;
import io.github.wheelscheduler.spring.settings.BackOff;
import io.github.wheelscheduler.spring.settings.JitterKind;
import io.github.wheelscheduler.spring.settings.MissedRuns;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Applies the settings of one task to its runs. Only tasks with settings have one. Any thread. */
final class TaskRules {

    /** A cron run that starts later has missed its instant. */
    private static final Duration CRON_GRACE = Duration.ofSeconds(5);

    private static final long MIX = 0x9E3779B97F4A7C15L;
    private static final int SHIFT = 32;

    private final TaskSeries task;
    final TaskSettings settings;

    /** Empty unless the jitter goes by it. */
    private final String node;

    private final long jitterNanos;
    private final @Nullable BackOff backOff;

    /** In a row. Guarded by this. */
    private long failures;

    /** The last run has failed, and the rest that follows from that has not been taken. Guarded by this. */
    private boolean restIsDue;

    /** The schedule of the first timer of the task. */
    final Pace firstPace;

    @SuppressWarnings("this-escape")
    TaskRules(TaskSeries task, TaskSettings settings, TaskSchedule schedule, TaskTimers timers) {
        this.task = task;
        this.settings = settings;
        this.node = settings.jitterKind() == JitterKind.FIXED ? timers.node() : "";
        Duration jitter = settings.jitter();
        this.jitterNanos = jitter == null ? 0 : TimeUnit.NANOSECONDS.convert(jitter);
        this.backOff = settings.backOff();
        this.firstPace = new Pace(schedule);
    }

    private MissedRuns missedRuns(MissedRuns usual) {
        MissedRuns set = settings.missedRuns();
        return set == null ? usual : set;
    }

    /** Notes that a run has failed, and says after how many failures in a row the task is to pause now; 0 for not. */
    synchronized long failed() {
        failures++;
        restIsDue = backOff != null;
        Integer pauseAfter = settings.pauseAfterFailures();
        return pauseAfter != null && pauseAfter > 0 && failures >= pauseAfter ? failures : 0;
    }

    /** Notes that a run went well, or that the task begins anew. */
    synchronized void succeeded() {
        failures = 0;
        restIsDue = false;
    }

    /** Returns for how long the task rests from now on; the next time, 0. */
    private synchronized long takeRestNanos() {
        BackOff growing = backOff;
        if (growing == null || !restIsDue) {
            return 0;
        }
        restIsDue = false;
        return growing.restNanos(failures);
    }

    private long toleranceNanos(long usualNanos) {
        Duration own = settings.startTolerance();
        return own == null ? usualNanos : TimeUnit.NANOSECONDS.convert(own);
    }

    /** Returns how much later a run is to start; less than the interval. */
    private long jitterNanos(long intervalNanos) {
        // Instants are read in microseconds at most.
        long boundMicros = TimeUnit.NANOSECONDS.toMicros(Math.min(jitterNanos, intervalNanos - 1));
        if (boundMicros <= 0) {
            return 0;
        }
        long micros = settings.jitterKind() == JitterKind.FIXED
                ? (long) (fraction() * boundMicros)
                : ThreadLocalRandom.current().nextLong(boundMicros + 1);
        return TimeUnit.MICROSECONDS.toNanos(micros);
    }

    /** Returns a number from 0 to 1, the same for an id on a node. */
    private double fraction() {
        long hash = ((long) task.id().hashCode() << SHIFT ^ node.hashCode()) * MIX;
        hash = (hash ^ hash >>> SHIFT) * MIX;
        hash ^= hash >>> SHIFT;
        return (hash >>> 11) * 0x1.0p-53;
    }

    /**
     * Applies the rules to one of the task's timers. Called by the thread that arms the timer, and by its runs, one at
     * a time.
     */
    final class Pace implements Pacing {

        /** Of the timer's fixed rate; the longest there is for none. */
        private final long periodNanos;

        private long putOffNanos;

        /** The tolerance of the start of the next run. */
        private long toleranceNanos;

        /** The number of runs missed before the last one has started, which stands for them. */
        private long absorbed;

        Pace(TaskSchedule schedule) {
            this.periodNanos = schedule instanceof TaskSchedule.FixedRate rate
                    ? TimeUnit.NANOSECONDS.convert(rate.period())
                    : Long.MAX_VALUE;
        }

        /**
         * Whether a late run of a fixed rate is skipped as missed. Otherwise it stands for all runs missed before it,
         * if one run is to.
         */
        boolean skips(long lateNanos) {
            MissedRuns policy = missedRuns(MissedRuns.CATCH_UP);
            if (lateNanos <= 0) {
                absorbed = 0;
                return false;
            }
            // A run is late from the end of its tolerance on.
            long sinceDueNanos = lateNanos + toleranceNanos;
            // Deadlines are counted in phase, from before the run was postponed.
            absorbed = policy == MissedRuns.LATEST ? (sinceDueNanos + putOffNanos) / periodNanos : 0;
            return policy == MissedRuns.SKIP && sinceDueNanos >= periodNanos;
        }

        /** Whether the run of a cron that starts so late is not to take place. */
        boolean skipsInstant(Duration late) {
            return missedRuns(MissedRuns.LATEST) == MissedRuns.SKIP
                    && task.schedule().isCron()
                    && late.compareTo(CRON_GRACE.plusNanos(toleranceNanos)) > 0
                    && !task.isPaused();
        }

        @Override
        public long skipped(long missed, int maxCatchUp) {
            long stoodFor = Math.min(missed, absorbed);
            absorbed = 0;
            MissedRuns policy = missedRuns(MissedRuns.CATCH_UP);
            if (policy == MissedRuns.CATCH_UP) {
                return Math.max(0, missed - maxCatchUp);
            }
            // Of the runs missed during the run, the last one is caught up.
            return policy == MissedRuns.SKIP ? missed : stoodFor + Math.max(0, missed - stoodFor - 1);
        }

        @Override
        public long restNanos() {
            return takeRestNanos();
        }

        @Override
        public long drawPutOffNanos() {
            // The tolerance comes on top, and ends before the next run.
            putOffNanos = jitterNanos(periodNanos - cutToleranceNanos(usualToleranceNanos()));
            return putOffNanos;
        }

        private long usualToleranceNanos() {
            return task.guard().book.timers.executor().startTolerance().toNanos();
        }

        /** Returns that of a fixed rate; 0 for others, whose jitter has no bound here. */
        private long cutToleranceNanos(long usualNanos) {
            return periodNanos == Long.MAX_VALUE
                    ? 0
                    : Pacing.cutTolerance(TaskRules.this.toleranceNanos(usualNanos), periodNanos / 2);
        }

        @Override
        public long startToleranceNanos(long usualNanos) {
            toleranceNanos = cutToleranceNanos(usualNanos);
            return TaskRules.this.toleranceNanos(usualNanos);
        }

        /** Returns the tolerance of the next run of a trigger, cut to the limit. */
        long startToleranceNanos(long usualNanos, long limitNanos) {
            toleranceNanos = Pacing.cutTolerance(TaskRules.this.toleranceNanos(usualNanos), limitNanos);
            return toleranceNanos;
        }

        /** Whether the settings of the task say its tolerance. */
        boolean hasOwnTolerance() {
            return settings.startTolerance() != null;
        }

        @Override
        public long putOffNanos() {
            return putOffNanos;
        }
    }
}
