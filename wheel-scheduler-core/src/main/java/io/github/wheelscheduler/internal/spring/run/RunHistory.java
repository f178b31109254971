package io.github.wheelscheduler.internal.spring.run;

import io.github.wheelscheduler.spring.run.RunOutcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered of the runs of one task, in one array, so that a run of one of very many tasks touches little memory. All
 * methods may be called from any thread; none waits for a run.
 */
public final class RunHistory {

    private static final int REMEMBERED = 10;

    /** In place of what a run threw, if there was no memory to keep that. */
    private static final RunOutcome.Failure FORGOTTEN = new RunOutcome.Failure(Throwable.class.getName(), "");

    // What the array has of each run.
    private static final int STARTED_AT = 0;
    private static final int DURATION = 1;
    private static final int LATENESS_AND_FLAGS = 2;
    private static final int FIELDS = 3;

    private static final int TRIGGERED = 1;
    private static final int FAILED = 2;
    private static final int FLAG_BITS = 2;

    private final long[] recent = new long[REMEMBERED * FIELDS];

    /** What the runs in the array threw; null as long as none has, or there was no memory for it. */
    private RunOutcome.@Nullable Failure @Nullable [] recentFailures;

    /** Since the epoch, in nanoseconds; of no meaning as long as no run has succeeded. */
    private long lastSuccess;

    private long runs;
    private long failures;
    private long failuresInARow;
    private long skips;
    private long overruns;
    private long missed;

    /** Since the last run; and between the one before and that one. */
    private boolean missesNow;

    private boolean missedBefore;

    /**
     * The counts of one moment.
     *
     * @param recent the last outcomes, the latest first
     */
    public record View(
            List<RunOutcome> recent,
            @Nullable Instant lastSuccess,
            long runs,
            long failures,
            long failuresInARow,
            long skips,
            long missed,
            long overruns) {

        /** Of a task that has never been due. */
        public static final View EMPTY = new View(List.of(), null, 0, 0, 0, 0, 0, 0);
    }

    /**
     * Notes a run. Does not fail when memory is short.
     *
     * @param startedAt since the epoch, in nanoseconds
     */
    public synchronized void ran(
            long startedAt,
            long nanos,
            long latenessNanos,
            boolean triggered,
            RunOutcome.@Nullable Failure failure,
            boolean overran) {
        int place = (int) (runs % REMEMBERED);
        recent[place * FIELDS + STARTED_AT] = startedAt;
        recent[place * FIELDS + DURATION] = nanos;
        int flags = (triggered ? TRIGGERED : 0) | (failure != null ? FAILED : 0);
        recent[place * FIELDS + LATENESS_AND_FLAGS] = latenessNanos << FLAG_BITS | flags;
        runs++;
        missedBefore = missesNow;
        missesNow = false;
        overruns += overran ? 1 : 0;
        if (failure == null) {
            lastSuccess = startedAt + nanos;
            failuresInARow = 0;
        } else {
            failures++;
            failuresInARow++;
        }
        if (recentFailures == null && failure != null) {
            try {
                recentFailures = new RunOutcome.@Nullable Failure[REMEMBERED];
            } catch (OutOfMemoryError ex) {
                // The flag says that the run has failed.
            }
        }
        if (recentFailures != null) {
            recentFailures[place] = failure;
        }
    }

    /** Returns when the last run started, since the epoch, in nanoseconds; 0 if there has been none. */
    public synchronized long lastRunAt() {
        int last = (int) ((runs + REMEMBERED - 1) % REMEMBERED);
        return runs == 0 ? 0 : recent[last * FIELDS + STARTED_AT];
    }

    /** Notes that a run has not taken place. */
    public synchronized void skipped() {
        skips++;
    }

    /** Notes that so many runs were missed, and are not made up; says whether that is the first time since a run that was followed by none. */
    public synchronized boolean missed(long missedRuns) {
        boolean isFirst = !missesNow && !missedBefore;
        missed += missedRuns;
        missesNow = true;
        return isFirst;
    }

    /** Returns what has been noted so far. */
    public synchronized View view() {
        List<RunOutcome> outcomes = new ArrayList<>(REMEMBERED);
        for (long run = runs - 1; run >= Math.max(0, runs - REMEMBERED); run--) {
            outcomes.add(outcomeAt((int) (run % REMEMBERED)));
        }
        Instant succeeded = runs > failures ? EpochNanos.toInstant(lastSuccess) : null;
        return new View(List.copyOf(outcomes), succeeded, runs, failures, failuresInARow, skips, missed, overruns);
    }

    private RunOutcome outcomeAt(int place) {
        long lateness = recent[place * FIELDS + LATENESS_AND_FLAGS];
        RunOutcome.Failure remembered = recentFailures == null ? null : recentFailures[place];
        boolean isForgotten = remembered == null && (lateness & FAILED) != 0;
        return RunOutcome.of(
                recent[place * FIELDS + STARTED_AT],
                recent[place * FIELDS + DURATION],
                lateness >> FLAG_BITS,
                (lateness & TRIGGERED) != 0,
                isForgotten ? FORGOTTEN : remembered);
    }
}
