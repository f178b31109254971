package io.github.wheelscheduler;

/**
 * The counts of an executor at one moment, each read on its own.
 *
 * @param pending timers in the inbox, in the wheel, or ready
 * @param ready due timers that wait for a worker, about
 * @param active runs going on
 * @param workers threads that take runs
 * @param skippedRuns missed runs of fixed-rate tasks that were not made up, since the start
 * @param refusedHandOvers how often a given executor has refused a due task, which was offered again
 * @param clockJumps how often the wall clock has moved by a second or more while calendar timers were pending
 * @param wakeUps how often the tick thread has slept
 */
public record WheelSnapshot(
        long pending,
        long ready,
        int active,
        int workers,
        long skippedRuns,
        long refusedHandOvers,
        long clockJumps,
        long wakeUps) {}
