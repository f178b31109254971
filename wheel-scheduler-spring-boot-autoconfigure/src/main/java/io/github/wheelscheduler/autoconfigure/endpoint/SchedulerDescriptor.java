package io.github.wheelscheduler.autoconfigure.endpoint;

import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelSnapshot;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.SkipReason;
import io.github.wheelscheduler.spring.task.TaskRegistry;
import io.github.wheelscheduler.spring.watch.LatenessPercentile;
import io.github.wheelscheduler.spring.watch.RunLateness;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A scheduler at one moment.
 *
 * @param name of its bean
 * @param tick the maximum time by which a start time is rounded up
 * @param pending timers that wait for their time or for a worker
 * @param anonymous those of them, about, that no task of the registry stands for: one-time tasks without a name
 * @param ready due timers that wait for a worker, about
 * @param oldestReady the time that the first of those has been waiting, about
 * @param nextExpiryIn the time until the tick thread wakes up by itself, usually for the next timer; null if it has no
 *     reason to
 * @param lateness the lateness at the start of the runs of the last one to two minutes
 * @param counts since the scheduler was started
 * @param tasks the number of tasks in the registry
 * @param group its properties as a group of another scheduler; null if it is no group
 * @param pause the start of its pause, the caller that paused it, and the reason; null if it is not paused
 * @param wheel the occupancy of the wheel; null for a group, and if it was not asked for
 */
public record SchedulerDescriptor(
        String name,
        State state,
        Duration tick,
        TickThread tickThread,
        Workers workers,
        long pending,
        long anonymous,
        long ready,
        Duration oldestReady,
        @Nullable Duration nextExpiryIn,
        Lateness lateness,
        Counts counts,
        int tasks,
        @Nullable Group group,
        @Nullable Pause pause,
        @Nullable Wheel wheel)
        implements OperationResponseBody {

    static SchedulerDescriptor of(SchedulerBeans.Named named, @Nullable Pause pause) {
        TaskRegistry registry = named.registry();
        return of(named, registry.size(), registry.waiting(), false, pause);
    }

    /**
     * Returns a scheduler whose tasks have been counted.
     *
     * @param waiting the number of tasks that wait for their time
     */
    static SchedulerDescriptor of(
            SchedulerBeans.Named named, int tasks, int waiting, boolean isWheelShown, @Nullable Pause pause) {
        WheelTaskScheduler scheduler = named.scheduler();
        WheelScheduledExecutor executor = scheduler.getWheelScheduledExecutor();
        WheelSnapshot seen = executor.snapshot();
        return new SchedulerDescriptor(
                named.name(),
                stateOf(scheduler, executor),
                executor.tick(),
                TickThread.of(seen),
                Workers.of(executor, seen),
                seen.pending(),
                Math.max(0, seen.pending() - waiting),
                seen.ready(),
                seen.oldestReady(),
                seen.tick().nextExpiry(),
                Lateness.of(scheduler.getLateness()),
                Counts.of(seen.totals(), scheduler.getFailedRuns(), named.registry()),
                tasks,
                Group.of(executor),
                pause,
                isWheelShown && executor.groupName() == null
                        ? Wheel.of(executor, scheduler.getClock().instant())
                        : null);
    }

    private static State stateOf(WheelTaskScheduler scheduler, WheelScheduledExecutor executor) {
        if (executor.isShutdown()) {
            return State.SHUT_DOWN;
        }
        boolean isGroup = executor.groupName() != null;
        if (!scheduler.isRunning() || (isGroup && executor.isPaused())) {
            return State.PAUSED;
        }
        return switch (scheduler.getMode()) {
            case RUN -> isGroup && executor.isHalted() ? State.HALTED : State.RUNNING;
            case HALTED -> State.HALTED;
            case OFF -> State.OFF;
        };
    }

    /**
     * A pause that lasts.
     *
     * @param at the time when it began
     * @param by the caller that paused it by this endpoint; null if the application did
     * @param reason the reason that the caller gave; null if none
     */
    public record Pause(
            Instant at, @Nullable String by, @Nullable String reason) {}

    /** The life of a scheduler. */
    public enum State {
        /** Due tasks run. */
        RUNNING,
        /** Due tasks are held back until it is resumed. */
        PAUSED,
        /** Due tasks are held back until its mode changes. */
        HALTED,
        /** Scheduled tasks never run. */
        OFF,
        /** No task is accepted any more. */
        SHUT_DOWN
    }

    /**
     * The thread that hands due tasks to workers.
     *
     * @param stuckFor the time by which it is overdue; zero if it is on time
     * @param wakeUps the number of wake-ups so far
     * @param oversleeps the number of sleeps that ended later than they should have
     * @param longestOversleep the longest of the last one to two minutes
     * @param clockJumps the number of times that the wall clock was set while tasks depended on it
     */
    public record TickThread(
            WheelSnapshot.State state,
            Duration stuckFor,
            long wakeUps,
            long oversleeps,
            Duration longestOversleep,
            long clockJumps) {

        private static TickThread of(WheelSnapshot seen) {
            WheelSnapshot.Tick tick = seen.tick();
            return new TickThread(
                    tick.state(),
                    tick.stuckFor(),
                    tick.wakeUps(),
                    tick.oversleeps(),
                    tick.longestOversleep(),
                    tick.clockJumps());
        }
    }

    /**
     * The threads that run tasks.
     *
     * @param max the maximum number of workers; null if that is not limited
     * @param size the number of workers
     * @param active the number of workers that run a task
     */
    public record Workers(@Nullable Integer max, int size, int active) {

        private static Workers of(WheelScheduledExecutor executor, WheelSnapshot seen) {
            int max = executor.maxWorkers();
            return new Workers(max == Integer.MAX_VALUE ? null : max, seen.workers(), seen.active());
        }
    }

    /**
     * A set of workers on the wheel of another scheduler.
     *
     * @param name as its settings have it
     * @param queueCapacity the maximum number of due runs that wait in the queue
     * @param onFull the treatment of a run that is due while the group is full
     */
    public record Group(String name, int queueCapacity, OnFull onFull) {

        private static @Nullable Group of(WheelScheduledExecutor executor) {
            String name = executor.groupName();
            return name == null ? null : new Group(name, executor.queueCapacity(), executor.onFull());
        }
    }

    /**
     * The occupancy of the wheel.
     *
     * @param at the time when the tick thread reported it; null as long as it has not
     * @param due timers whose time has come, and that wait for room
     * @param levels the ones that have been needed, the shortest spans first
     */
    public record Wheel(@Nullable Instant at, long due, List<Level> levels) {

        private static Wheel of(WheelScheduledExecutor executor, Instant now) {
            WheelSnapshot.Occupancy seen = executor.occupancy();
            return seen == null
                    ? new Wheel(null, 0, List.of())
                    : new Wheel(
                            now.minus(seen.age()),
                            seen.due(),
                            seen.levels().stream()
                                    .map(level -> new Level(level.bucket(), level.hand(), level.counts()))
                                    .toList());
        }
    }

    /**
     * A level of the wheel.
     *
     * @param bucket the span of one of its buckets
     * @param hand the number of the bucket that has now in it
     * @param counts the number of timers in each bucket, cancelled ones that have not been swept out included
     */
    public record Level(Duration bucket, int hand, List<Long> counts) {}

    /**
     * The maximum lateness of given percentages of the runs.
     *
     * @param p50 half of them
     * @param p90 90 percent
     * @param p99 99 percent
     */
    public record Lateness(LatenessPercentile p50, LatenessPercentile p90, LatenessPercentile p99) {

        private static Lateness of(RunLateness lateness) {
            return new Lateness(lateness.percentile(0.5), lateness.percentile(0.9), lateness.percentile(0.99));
        }
    }

    /**
     * Counts of timers and runs since the start.
     *
     * @param scheduled timers that became pending, each run of a repeating task counted
     * @param fired timers that started to run
     * @param cancelled pending timers that were cancelled
     * @param rejected tasks that were not accepted
     * @param failed runs that threw
     * @param skipped runs that did not take place
     */
    public record Counts(long scheduled, long fired, long cancelled, long rejected, long failed, Skipped skipped) {

        private static Counts of(WheelSnapshot.Totals totals, long failed, TaskRegistry registry) {
            Skipped skipped = new Skipped(
                    registry.skips(SkipReason.PAUSED),
                    registry.skips(SkipReason.RUNNING),
                    totals.skipped() + registry.skips(SkipReason.MISSED),
                    totals.refusedRuns());
            return new Counts(
                    totals.scheduled(), totals.fired(), totals.cancelled(), totals.rejected(), failed, skipped);
        }
    }

    /**
     * Why runs did not take place.
     *
     * @param paused because the task was paused
     * @param running because the task was running
     * @param missed because they were missed and are not made up
     * @param full because the group was full, those rejected at the call included
     */
    public record Skipped(long paused, long running, long missed, long full) {}
}
