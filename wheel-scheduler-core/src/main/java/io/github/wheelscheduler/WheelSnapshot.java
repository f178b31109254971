package io.github.wheelscheduler;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The counts of an executor at one moment, each read on its own.
 *
 * @param pending timers in the inbox, in the wheel, or ready
 * @param inbox approximate number of messages that the tick thread has not read
 * @param ready approximate number of due timers that wait for a worker
 * @param oldestReady approximate wait of the first of those; zero if none waits
 * @param active active runs
 * @param workers threads that take runs
 * @param totals counts since the start
 * @param tick the state of the tick thread
 */
public record WheelSnapshot(
        long pending, long inbox, long ready, Duration oldestReady, int active, int workers, Totals totals, Tick tick) {

    /**
     * Counts since the executor was built.
     *
     * @param scheduled timers that became pending, each run of a repeating one counted
     * @param fired timers that started to run, each run of a repeating one counted
     * @param cancelled pending timers that were cancelled, returned by {@code shutdownNow}, or rejected by a full group
     * @param rejected timers that were not accepted
     * @param skipped missed runs of fixed-rate tasks that were not caught up
     * @param refusedHandOvers the number of times that a given executor rejected a due task, which was offered again
     * @param refusedRuns runs that did not start because their group was full, those rejected at the call included
     */
    public record Totals(
            long scheduled,
            long fired,
            long cancelled,
            long rejected,
            long skipped,
            long refusedHandOvers,
            long refusedRuns) {}

    /**
     * The tick thread.
     *
     * @param state the stage of its life
     * @param wakeUps the number of wake-ups so far
     * @param clockJumps the number of times that the wall clock moved by a second or more while calendar timers were
     *     pending
     * @param oversleeps the number of sleeps that ended later than they should have
     * @param overslept the total of their delays
     * @param longestOversleep the longest of the last one to two minutes
     * @param stuckFor the time for which the thread has neither slept nor finished a pass, or by which it has missed
     *     its wake-up; zero if it is on time
     * @param nextExpiry the time until the thread wakes up by itself, usually for the next timer; null if it has no
     *     reason to
     */
    public record Tick(
            State state,
            long wakeUps,
            long clockJumps,
            long oversleeps,
            Duration overslept,
            Duration longestOversleep,
            Duration stuckFor,
            @Nullable Duration nextExpiry) {}

    /**
     * The occupancy of the wheel at one moment. It counts cancelled timers that have not been swept out, but neither
     * timers in the inbox nor ready ones.
     *
     * @param age the time since that moment
     * @param due due timers that had not been handed over, for instance because there was no room
     * @param levels the ones that held a timer, the finest first
     */
    public record Occupancy(Duration age, long due, List<LevelOccupancy> levels) {}

    /**
     * A level of the wheel.
     *
     * @param bucket the time that a bucket covers
     * @param hand the current bucket; timers are in those behind it
     * @param counts the timers in each bucket
     */
    public record LevelOccupancy(Duration bucket, int hand, List<Long> counts) {}

    /** The life of the tick thread. */
    public enum State {
        /** Nothing has been scheduled so far. */
        NOT_STARTED,
        /** It runs, or sleeps until there is something to do. */
        RUNNING,
        /** The executor has been shut down. */
        ENDED,
        /** It has ended although the executor has not been shut down; no task will run any more. */
        DEAD
    }
}
