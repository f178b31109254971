package io.github.wheelscheduler;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The counts of an executor at one moment, each read on its own.
 *
 * @param pending timers in the inbox, in the wheel, or ready
 * @param inbox messages to the tick thread that it has not read, about
 * @param ready due timers that wait for a worker, about
 * @param oldestReady how long the first of those has been waiting, about; zero if none waits
 * @param active runs going on
 * @param workers threads that take runs
 * @param totals what has happened since the start
 * @param tick how the tick thread is doing
 */
public record WheelSnapshot(
        long pending, long inbox, long ready, Duration oldestReady, int active, int workers, Totals totals, Tick tick) {

    /**
     * Counts since the executor was built.
     *
     * @param scheduled timers that became pending, each run of a repeating one counted
     * @param fired timers that started to run, each run of a repeating one counted
     * @param cancelled pending timers that were cancelled, handed back by {@code shutdownNow}, or refused by a full group
     * @param rejected timers that were not accepted
     * @param skipped missed runs of fixed-rate tasks that were not made up
     * @param refusedHandOvers how often a given executor has refused a due task, which was offered again
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
     * @param state where it is in its life
     * @param wakeUps how often it has slept
     * @param clockJumps how often the wall clock has moved by a second or more while calendar timers were pending
     * @param oversleeps how many sleeps ended later than they should have
     * @param overslept by how much in all
     * @param longestOversleep the longest of the last one to two minutes
     * @param stuckFor by how much the thread is overdue: it neither sleeps nor has it finished a pass for so long, or it
     *     should have woken up that long ago; zero if it is on time
     * @param nextExpiry how long until the thread wakes up by itself, usually for the next timer; null if it has no reason to
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
     * How full the wheel was at one moment. Timers that were cancelled and have not been swept out count; what is in the inbox or ready does not.
     *
     * @param age how long ago that was
     * @param due timers whose time had come, and that had not been handed over, as when there is no room
     * @param levels the ones that held a timer, the finest first
     */
    public record Occupancy(Duration age, long due, List<LevelOccupancy> levels) {}

    /**
     * A level of the wheel.
     *
     * @param bucket the time that a bucket covers
     * @param hand the bucket that this moment is in; timers are in those behind it
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
        /** It has ended although the executor has not been shut down; nothing will run any more. */
        DEAD
    }
}
