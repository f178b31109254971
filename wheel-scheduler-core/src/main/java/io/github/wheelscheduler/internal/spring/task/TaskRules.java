package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.spring.settings.BackOff;
import io.github.wheelscheduler.spring.settings.JitterKind;
import io.github.wheelscheduler.spring.settings.MissedRuns;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What the settings of one task make of its runs. Only tasks with settings have one. Any thread. */
final class TaskRules {

    /** A cron run that starts later has missed its instant. */
    static final Duration CRON_GRACE = Duration.ofSeconds(5);

    private static final long MIX = 0x9E3779B97F4A7C15L;
    private static final int SHIFT = 32;

    private final TaskSettings settings;
    private final String node;
    private final long jitterNanos;
    private final @Nullable BackOff backOff;

    /** In a row. Guarded by this. */
    private long failures;

    /** The last run has failed, and the rest that follows from that has not been taken. Guarded by this. */
    private boolean restIsDue;

    private final Pace firstPace;

    @SuppressWarnings("this-escape")
    TaskRules(TaskSeries task, TaskSettings settings, TaskSchedule schedule, String node) {
        this.firstPace = new Pace(task, this, schedule);
        this.settings = settings;
        this.node = node;
        Duration jitter = settings.jitter();
        this.jitterNanos = jitter == null ? 0 : TimeUnit.NANOSECONDS.convert(jitter);
        this.backOff = settings.backOff();
    }

    /** Returns what the first timer of the task goes by. */
    Pace firstPace() {
        return firstPace;
    }

    TaskSettings settings() {
        return settings;
    }

    MissedRuns missedRuns(MissedRuns usual) {
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
    synchronized long takeRestNanos() {
        BackOff growing = backOff;
        if (growing == null || !restIsDue) {
            return 0;
        }
        restIsDue = false;
        return growing.restNanos(failures);
    }

    /** Returns how much later a run of a task with that id is to start; less than the interval. */
    long jitterNanos(String id, long intervalNanos) {
        // Instants are read in microseconds at most.
        long boundMicros = TimeUnit.NANOSECONDS.toMicros(Math.min(jitterNanos, intervalNanos - 1));
        if (boundMicros <= 0) {
            return 0;
        }
        long micros = settings.jitterKind() == JitterKind.FIXED
                ? (long) (fraction(id) * boundMicros)
                : ThreadLocalRandom.current().nextLong(boundMicros + 1);
        return TimeUnit.MICROSECONDS.toNanos(micros);
    }

    /** From 0 to 1, the same for an id on a node. */
    private double fraction(String id) {
        long hash = ((long) id.hashCode() << SHIFT ^ node.hashCode()) * MIX;
        hash = (hash ^ hash >>> SHIFT) * MIX;
        hash ^= hash >>> SHIFT;
        return (hash >>> 11) * 0x1.0p-53;
    }
}
