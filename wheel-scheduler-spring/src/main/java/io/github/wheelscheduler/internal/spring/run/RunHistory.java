package io.github.wheelscheduler.internal.spring.run;

import io.github.wheelscheduler.internal.StackText;
import io.github.wheelscheduler.spring.run.RunOutcome;
import java.lang.invoke.VarHandle;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The history of the runs of one task, in one array, so that a run touches little memory even with very many tasks. All
 * methods may be called from any thread; none waits for a run, and a run waits for no thread that reads.
 */
public final class RunHistory {

    private static final int REMEMBERED = 10;

    /** Of two failures that are less apart, the stack trace of the first is kept. */
    private static final long TRACES_APART_NANOS = 100_000_000;

    // The fields of each run in the array.
    private static final int STARTED_AT = 0;
    private static final int DURATION = 1;
    private static final int LATENESS_AND_FLAGS = 2;
    private static final int FIELDS = 3;

    private static final int TRIGGERED = 1;
    private static final int FAILED = 2;
    private static final int OVERRAN = 4;
    private static final int FLAG_BITS = 3;

    /** The number of runs from which a statement about all of them is made. */
    private static final int LEAST_RUNS = 3;

    /**
     * Odd while a run is being noted: what is read then may be half of the one and half of the other, and is read
     * again. Written with the lock held. Fences order it, and no handle of the field, which a class that is first
     * needed without memory could not make.
     */
    private int version;

    private final long[] recent = new long[REMEMBERED * FIELDS];

    /** The exceptions of the runs in the array; null if there are none, or there was no memory for them. */
    private RunOutcome.@Nullable Failure @Nullable [] recentFailures;

    /** Since the epoch, in nanoseconds; of no meaning as long as no run has succeeded. */
    private long lastSuccess;

    /** Likewise, of a run that failed. Written with the lock held, and read without it, too. */
    private volatile long lastFailure;

    /** Of two failures at once, either is the newest. Written with the lock held, and read without it, too. */
    private volatile RunOutcome.@Nullable LastError lastError;

    /** It keeps a stack trace. */
    private volatile boolean keepsTrace;

    private long runs;
    private long failures;

    /** Written with the lock held, and read without it, too. */
    private volatile long failuresInARow;

    private long overruns;

    // Written with the lock held, and read without it, too.

    private volatile long skips;
    private volatile long missed;

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
            @Nullable Instant lastFailure,
            long runs,
            long failures,
            long failuresInARow,
            long skips,
            long missed,
            long overruns) {

        /** Of a task that has never been due. */
        public static final View EMPTY = new View(List.of(), null, null, 0, 0, 0, 0, 0, 0);
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
        version++;
        VarHandle.storeStoreFence();
        try {
            int place = (int) (runs % REMEMBERED);
            recent[place * FIELDS + STARTED_AT] = startedAt;
            recent[place * FIELDS + DURATION] = nanos;
            int flags = (triggered ? TRIGGERED : 0) | (failure != null ? FAILED : 0) | (overran ? OVERRAN : 0);
            recent[place * FIELDS + LATENESS_AND_FLAGS] = latenessNanos << FLAG_BITS | flags;
            runs++;
            missedBefore = missesNow;
            missesNow = false;
            overruns += overran ? 1 : 0;
            if (failure == null) {
                lastSuccess = startedAt + nanos;
                if (failuresInARow != 0) {
                    failuresInARow = 0;
                }
            } else {
                lastFailure = startedAt + nanos;
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
        } finally {
            VarHandle.releaseFence();
            version++;
        }
    }

    /**
     * Keeps the exception of a run, with its stack trace, unless another has just been kept: a task that always fails
     * must not pay for each. Does not fail. Calls the user's code without the lock.
     *
     * @param atNanos since the epoch
     * @param traceIds says under which trace id that was thrown, on this thread
     * @param kept bounds how many such traces there are
     */
    public void failed(
            long atNanos,
            Throwable failure,
            @Nullable Function<Throwable, @Nullable String> traceIds,
            KeptTraces kept) {
        RunOutcome.LastError before = lastError;
        // The clock may have been set back.
        if (before != null && Math.abs(atNanos - EpochNanos.of(before.at())) < TRACES_APART_NANOS) {
            return;
        }
        try {
            String traceId = traceIds == null ? null : traceIds.apply(failure);
            RunOutcome.Failure described = RunOutcome.Failure.of(failure, traceId);
            RunOutcome.LastError made = new RunOutcome.LastError(
                    EpochNanos.toInstant(atNanos),
                    described.type(),
                    described.message(),
                    StackText.of(failure),
                    traceId);
            if (!keepsTrace) {
                kept.add(this);
                keepsTrace = true;
            }
            synchronized (this) {
                lastError = made;
            }
        } catch (Throwable ex) {
            // There is no memory, or the source of trace ids fails. The run has failed all the same.
        }
    }

    /** Forgets the stack trace of the newest failure, as others have failed since. */
    synchronized void forgetTrace() {
        keepsTrace = false;
        RunOutcome.LastError seen = lastError;
        if (seen != null) {
            lastError = new RunOutcome.LastError(seen.at(), seen.type(), seen.message(), "", seen.traceId());
        }
    }

    /** Returns the trace id of the newest failure, if that was thrown since then; null for none. */
    public @Nullable String traceIdSince(long nanos) {
        RunOutcome.LastError newest = lastError;
        return newest == null || EpochNanos.of(newest.at()) < nanos ? null : newest.traceId();
    }

    /** Returns the details of the newest failure. */
    public RunOutcome.@Nullable LastError lastError() {
        return lastError;
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

    /**
     * Records a number of missed runs that are not caught up; returns whether they are the first since a run without
     * any.
     */
    public synchronized boolean missed(long missedRuns) {
        boolean isFirst = !missesNow && !missedBefore;
        missed += missedRuns;
        missesNow = true;
        return isFirst;
    }

    /** Returns the history so far. */
    public View view() {
        return whole(this::look);
    }

    /**
     * Whether the remembered runs by the schedule, of which there are at least three, have each taken longer than it
     * was to the next one.
     */
    public boolean isOverrunning() {
        return overruns >= LEAST_RUNS && whole(this::areOverruns);
    }

    private <T> T whole(Supplier<T> look) {
        while (true) {
            int before = version;
            VarHandle.acquireFence();
            if (before % 2 == 0) {
                T seen = look.get();
                VarHandle.loadLoadFence();
                if (before == version) {
                    return seen;
                }
            }
            Thread.onSpinWait();
        }
    }

    private View look() {
        long runs = this.runs;
        List<RunOutcome> outcomes = new ArrayList<>(REMEMBERED);
        for (long run = runs - 1; run >= Math.max(0, runs - REMEMBERED); run--) {
            outcomes.add(outcomeAt((int) (run % REMEMBERED)));
        }
        Instant succeeded = runs > failures ? EpochNanos.toInstant(lastSuccess) : null;
        Instant failed = failures == 0 ? null : EpochNanos.toInstant(lastFailure);
        return new View(
                List.copyOf(outcomes), succeeded, failed, runs, failures, failuresInARow, skips, missed, overruns);
    }

    /** Whether the last run has failed. Does not wait for a run that takes notes. */
    public boolean isFailing() {
        return failuresInARow > 0;
    }

    /**
     * Returns when a run last failed, since the epoch, in nanoseconds; 0 if none has. Does not wait for a run that
     * takes notes.
     */
    public long lastFailure() {
        return lastFailure;
    }

    private boolean areOverruns() {
        int byTheSchedule = 0;
        int overran = 0;
        for (int place = 0; place < Math.min(runs, REMEMBERED); place++) {
            long flags = recent[place * FIELDS + LATENESS_AND_FLAGS];
            byTheSchedule += (flags & TRIGGERED) == 0 ? 1 : 0;
            overran += (flags & OVERRAN) == 0 ? 0 : 1;
        }
        return overran >= LEAST_RUNS && overran == byTheSchedule;
    }

    private RunOutcome outcomeAt(int place) {
        long lateness = recent[place * FIELDS + LATENESS_AND_FLAGS];
        RunOutcome.Failure remembered = recentFailures == null ? null : recentFailures[place];
        // There was no memory to keep the exception of the run.
        boolean isForgotten = remembered == null && (lateness & FAILED) != 0;
        return RunOutcome.of(
                recent[place * FIELDS + STARTED_AT],
                recent[place * FIELDS + DURATION],
                lateness >> FLAG_BITS,
                (lateness & TRIGGERED) != 0,
                isForgotten ? new RunOutcome.Failure(Throwable.class.getName(), "", null) : remembered);
    }
}
