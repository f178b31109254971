package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.history.HistoryOutcome.Kind;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rows that a task may have on this node in an hour, one budget for each kind of outcome, and the runs beyond. The
 * first failure after a success always has a row, and so has the first success after a failure: since when a task
 * fails is exact. Any thread.
 */
final class TaskBudget {

    private static final long MICROS_PER_HOUR = 3_600_000_000L;

    /** Codes of outcomes are less. */
    private static final long CODES = 64;

    private static final int KINDS = Kind.values().length;

    private final String task;
    private final int mostSuccesses;
    private final int mostOthers;

    // Guarded by this.

    private final int[] written = new int[KINDS];
    private long hour = Long.MIN_VALUE;

    /** The kind of the last run that took place; null before the first one. */
    private @Nullable Kind last;

    /** Runs beyond the budget, by hour and outcome. */
    private final Map<Long, Sums> beyond = new HashMap<>();

    /** The sums that were added to last, as most runs end like the run before. */
    private @Nullable Sums lastSums;

    TaskBudget(String task, int mostSuccesses, int mostOthers) {
        this.task = task;
        this.mostSuccesses = mostSuccesses;
        this.mostOthers = mostOthers;
    }

    static long hourOf(long atMicros) {
        return Math.floorDiv(atMicros, MICROS_PER_HOUR);
    }

    /** Returns whether runs have a row; counts them if not. */
    synchronized boolean takes(HistoryOutcome outcome, long runs, long micros, long atMicros) {
        long hourOfRun = hourOf(atMicros);
        if (hourOfRun > hour) {
            hour = hourOfRun;
            Arrays.fill(written, 0);
        }
        Kind kind = outcome.kind();
        boolean isTurn = false;
        if (kind != Kind.NOT_RUN) {
            isTurn = last != kind;
            last = kind;
        }
        int place = kind == Kind.SUCCESS ? 0 : kind == Kind.FAILURE ? 1 : 2;
        if (isTurn || written[place] < (kind == Kind.SUCCESS ? mostSuccesses : mostOthers)) {
            written[place]++;
            return true;
        }
        sums(hourOfRun, outcome).add(runs, micros, atMicros);
        return false;
    }

    /** Counts a run that took place and is to have no row. */
    synchronized void counts(HistoryOutcome outcome, long micros, long atMicros) {
        long hourOfRun = hourOf(atMicros);
        hour = Math.max(hour, hourOfRun);
        last = outcome.kind();
        sums(hourOfRun, outcome).add(1, micros, atMicros);
    }

    /** Adds to the runs that have no row. */
    synchronized void count(RunTotals more) {
        sums(more.hour(), more.outcome()).add(more);
    }

    private Sums sums(long hourOfRun, HistoryOutcome outcome) {
        Sums known = lastSums;
        if (known == null || known.hour != hourOfRun || known.outcome != outcome) {
            known = beyond.computeIfAbsent(hourOfRun * CODES + outcome.code(), key -> new Sums(hourOfRun, outcome));
            lastSums = known;
        }
        return known;
    }

    /** Returns the runs that have no row, and forgets them. */
    synchronized List<RunTotals> drain() {
        if (beyond.isEmpty()) {
            return List.of();
        }
        List<RunTotals> drained =
                beyond.values().stream().map(each -> each.totals(task)).toList();
        beyond.clear();
        lastSums = null;
        return drained;
    }

    /** Runs of an hour and an outcome, added up. Guarded by the budget. */
    private static final class Sums {

        private final long hour;
        private final HistoryOutcome outcome;
        private long runs;
        private long micros;
        private long longest;
        private long earliest = Long.MAX_VALUE;
        private long latest = Long.MIN_VALUE;

        Sums(long hour, HistoryOutcome outcome) {
            this.hour = hour;
            this.outcome = outcome;
        }

        /** Adds runs that ended at one time; one that did not take place took no time. */
        void add(long moreRuns, long tookMicros, long atMicros) {
            long took = Math.max(0, tookMicros);
            add(moreRuns, took, took, atMicros, atMicros);
        }

        void add(RunTotals more) {
            add(more.runs(), more.micros(), more.longest(), more.earliest(), more.latest());
        }

        private void add(long moreRuns, long moreMicros, long longestRun, long earliestRun, long latestRun) {
            runs += moreRuns;
            micros += moreMicros;
            longest = Math.max(longest, longestRun);
            earliest = Math.min(earliest, earliestRun);
            latest = Math.max(latest, latestRun);
        }

        RunTotals totals(String task) {
            return new RunTotals(task, hour, outcome, runs, micros, longest, earliest, latest);
        }
    }

    /** Whether nothing is counted, and nothing has run since some hour. */
    synchronized boolean isIdleSince(long someHour) {
        return beyond.isEmpty() && hour < someHour;
    }
}
