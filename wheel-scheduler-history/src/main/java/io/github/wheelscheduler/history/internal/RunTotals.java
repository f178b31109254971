package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.history.HistoryOutcome;

/**
 * Runs of a task in an hour that have no row. Times are microseconds since the epoch.
 *
 * @param hour hours since the epoch
 */
record RunTotals(
        String task,
        long hour,
        HistoryOutcome outcome,
        long runs,
        long micros,
        long longest,
        long earliest,
        long latest) {

    static RunTotals of(String task, HistoryOutcome outcome, long runs, long micros, long atMicros) {
        long took = Math.max(0, micros);
        return new RunTotals(task, TaskBudget.hourOf(atMicros), outcome, runs, took, took, atMicros, atMicros);
    }

    /** Returns both, of one task, hour and outcome. */
    RunTotals plus(RunTotals more) {
        return new RunTotals(
                task,
                hour,
                outcome,
                runs + more.runs,
                micros + more.micros,
                Math.max(longest, more.longest),
                Math.min(earliest, more.earliest),
                Math.max(latest, more.latest));
    }

    /**
     * Returns the same by the database's clock.
     *
     * @param aheadMicros by how much the node's clock is ahead
     * @param now the maximum of all times, as the node's clock may have been set since
     */
    RunTotals onClock(long aheadMicros, long now) {
        long last = Math.min(latest - aheadMicros, now);
        return last == latest
                ? this
                : new RunTotals(
                        task,
                        Math.min(hour, TaskBudget.hourOf(last)),
                        outcome,
                        runs,
                        micros,
                        longest,
                        Math.min(earliest - aheadMicros, now),
                        last);
    }
}
