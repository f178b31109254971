package io.github.wheelscheduler.history.internal;

import io.github.wheelscheduler.history.HistoryOutcome;
import io.github.wheelscheduler.history.HistoryOutcome.Kind;
import io.github.wheelscheduler.internal.CallerStripe;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rows that a task may have on this node in an hour, one budget for each kind of outcome, and the runs beyond. The
 * first failure after a success always has a row, and so has the first success after a failure: since when a task
 * fails on this node is exact. Any thread.
 */
final class TaskBudget {

    private static final long MICROS_PER_HOUR = 3_600_000_000L;

    /** Codes of outcomes are less. */
    private static final long CODES = 64;

    /** Number of runs from which threads that end runs of one name add them up apart. */
    private static final int FEW = 1_000;

    /** The answer to a run. */
    enum Answer {
        /** It has a row. */
        ROW,
        /** It is beyond the budget. */
        NO_ROW,
        /** This budget is no longer in use. */
        GONE
    }

    private final String task;
    private final int mostSuccesses;
    private final int mostOthers;

    // Guarded by this. Single fields, as each object more is one that the processor has to fetch at each run.

    private boolean isGone;
    private int successes;
    private int failures;
    private int notRun;
    private long hour = Long.MIN_VALUE;

    /** The kind of the last run that took place; null before the first one. */
    private volatile @Nullable Kind last;

    // The runs beyond the budget that ended like the last of them, and in its hour.

    private @Nullable HistoryOutcome outcome;
    private long hourOfSum;
    private long runs;
    private long micros;
    private long longest;
    private long earliest;
    private long latest;

    /** Others beyond the budget, by hour and outcome; null if there is none. */
    private @Nullable Map<Long, RunTotals> others;

    /** By caller, for the runs of many threads at once. Writers: guarded by this. */
    private volatile TaskBudget @Nullable [] stripes;

    TaskBudget(String task, int mostSuccesses, int mostOthers) {
        this.task = task;
        this.mostSuccesses = mostSuccesses;
        this.mostOthers = mostOthers;
    }

    static long hourOf(long atMicros) {
        return Math.floorDiv(atMicros, MICROS_PER_HOUR);
    }

    /** Returns whether runs have a row, and counts them if not. */
    synchronized Answer takes(HistoryOutcome of, long count, long took, long atMicros) {
        Answer answer = reserves(of, atMicros);
        if (answer == Answer.NO_ROW) {
            long tookOne = Math.max(0, took);
            add(hourOf(atMicros), of, count, tookOne, tookOne, atMicros, atMicros);
        }
        return answer;
    }

    /** Returns whether runs have a row, if their end is committed. */
    synchronized Answer reserves(HistoryOutcome of, long atMicros) {
        if (isGone) {
            return Answer.GONE;
        }
        renew(hourOf(atMicros));
        Kind kind = of.kind();
        boolean isTurn = kind != Kind.NOT_RUN && last != kind;
        if (isTurn) {
            last = kind;
        }
        if (isTurn || written(kind) < (kind == Kind.SUCCESS ? mostSuccesses : mostOthers)) {
            countRow(kind);
            return Answer.ROW;
        }
        return Answer.NO_ROW;
    }

    /** Begins a new hour. A clock that was ahead goes back by more than the time of a long run. */
    private void renew(long hourOfRun) {
        if (hourOfRun > hour || hourOfRun < hour - 1) {
            hour = hourOfRun;
            successes = 0;
            failures = 0;
            notRun = 0;
        }
    }

    private int written(Kind kind) {
        return switch (kind) {
            case SUCCESS -> successes;
            case FAILURE -> failures;
            case NOT_RUN -> notRun;
        };
    }

    private void countRow(Kind kind) {
        switch (kind) {
            case SUCCESS -> successes++;
            case FAILURE -> failures++;
            case NOT_RUN -> notRun++;
        }
    }

    /** Counts a run that took place and is to have no row; false if this budget is no longer in use. */
    boolean counts(HistoryOutcome of, long took, long atMicros) {
        TaskBudget[] apart = stripes;
        // The first run after another kind is noted here, and one that finds its place drained.
        return (apart != null && last == of.kind() && apart[CallerStripe.index()].countsHere(of, took, atMicros, false))
                || countsHere(of, took, atMicros, true);
    }

    private synchronized boolean countsHere(HistoryOutcome of, long took, long atMicros, boolean maySplit) {
        if (isGone) {
            return false;
        }
        long hourOfRun = hourOf(atMicros);
        renew(hourOfRun);
        last = of.kind();
        add(hourOfRun, of, 1, took, took, atMicros, atMicros);
        if (maySplit && runs > FEW && stripes == null) {
            TaskBudget[] made = new TaskBudget[CallerStripe.COUNT];
            Arrays.setAll(made, place -> new TaskBudget(task, mostSuccesses, mostOthers));
            stripes = made;
        }
        return true;
    }

    /** Adds to the runs that have no row; false if this budget is no longer in use. */
    synchronized boolean count(RunTotals more) {
        if (!isGone) {
            add(
                    more.hour(),
                    more.outcome(),
                    more.runs(),
                    more.micros(),
                    more.longest(),
                    more.earliest(),
                    more.latest());
        }
        return !isGone;
    }

    private void add(
            long hourOfRuns, HistoryOutcome of, long count, long took, long longestRun, long first, long newest) {
        if (outcome != of || hourOfSum != hourOfRuns) {
            setAside();
            outcome = of;
            hourOfSum = hourOfRuns;
            runs = 0;
            micros = 0;
            longest = 0;
            earliest = Long.MAX_VALUE;
            latest = Long.MIN_VALUE;
        }
        runs += count;
        micros += took;
        longest = Math.max(longest, longestRun);
        earliest = Math.min(earliest, first);
        latest = Math.max(latest, newest);
    }

    private void setAside() {
        HistoryOutcome of = outcome;
        if (of != null) {
            Map<Long, RunTotals> all = others == null ? new HashMap<>() : others;
            others = all;
            RunTotals ignored = all.merge(
                    hourOfSum * CODES + of.code(),
                    new RunTotals(task, hourOfSum, of, runs, micros, longest, earliest, latest),
                    RunTotals::plus);
            outcome = null;
        }
    }

    /** Moves the runs that have no row into a list. Without memory, it keeps the rest. */
    synchronized void drain(List<RunTotals> drained) {
        setAside();
        if (others != null) {
            boolean ignored = drained.addAll(others.values());
            others = null;
        }
        TaskBudget[] apart = stripes;
        if (apart != null) {
            for (TaskBudget each : apart) {
                each.drainAtEnd(drained);
            }
            stripes = null;
        }
    }

    private synchronized void drainAtEnd(List<RunTotals> drained) {
        isGone = true;
        drain(drained);
    }

    /** Takes this budget out of use if nothing has run for an hour, and nothing is counted; returns whether so. */
    synchronized boolean endIfIdle(long nowHour) {
        isGone = Math.abs(nowHour - hour) > 1 && outcome == null && others == null && stripes == null;
        return isGone;
    }
}
