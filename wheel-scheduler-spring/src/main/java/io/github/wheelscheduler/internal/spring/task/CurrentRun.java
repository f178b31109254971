package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.internal.StackText;
import io.github.wheelscheduler.internal.spring.observation.ObservedRun;
import io.github.wheelscheduler.internal.spring.run.EpochNanos;
import io.github.wheelscheduler.internal.spring.run.RunHistory;
import io.github.wheelscheduler.spring.task.TaskInfo;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ErrorHandler;

/**
 * The run of a task that is in progress: its thread, its start, and interrupting it. One for all runs of a task, made
 * for the first one. Any thread, unless a method names the thread of the run.
 */
final class CurrentRun {

    static final long NOT_TOLD = -1;

    private static final AtomicReferenceFieldUpdater<CurrentRun, @Nullable Thread> RUNNER =
            AtomicReferenceFieldUpdater.newUpdater(CurrentRun.class, Thread.class, "runner");

    private static final AtomicLongFieldUpdater<CurrentRun> SINCE =
            AtomicLongFieldUpdater.newUpdater(CurrentRun.class, "sinceNanos");

    private final TaskStore book;

    /** A run that takes longer may be longer than it is to the next one. Writers hold the lock of the series. */
    volatile long mayOverrunNanos;

    /** The thread in the run; claimed from null. */
    private volatile @Nullable Thread runner;

    /** Since when a run is active, on the monotonic clock; 0 while none is. */
    private volatile long sinceNanos;

    /** The same, since the epoch. Shows with the one above. */
    private long startedAt;

    /** Of the timer whose run is active. Shows with the time since when. */
    private int generation;

    /** Set before the run is looked at for an interrupt; the end of the run looks here after saying so. */
    private volatile boolean interruptConsidered;

    /** Guarded by this, as is an interrupt against the end of the run that it is meant for. */
    private boolean interrupted;

    // By the thread of the run.

    /** The lateness of the next run on this thread. */
    private long latenessNanos = NOT_TOLD;

    /** When that was read. */
    long toldNanos;

    /** The observation of the current run; null if there is none. */
    @Nullable
    ObservedRun observed;

    /** The failure of the current run. */
    @Nullable
    Throwable thrown;

    /** The last run failed. */
    boolean failing;

    /** Hears of failures while the task repeats; null before the first one. */
    @Nullable
    ErrorHandler seriesHandler;

    /**
     * Null as long as there is nothing to remember. Made, guarded by this, by the thread that has something to note.
     */
    volatile @Nullable RunHistory history;

    /** Receive the ends of runs; null before the first one. Writers: threads that end runs, with equal values. */
    volatile TaskEvents.@Nullable RunListeners listeners;

    /** The last run that has been asked for. Guarded by the lock of the series. */
    @Nullable
    ScheduledFuture<?> triggered;

    CurrentRun(TaskStore book, long mayOverrunNanos) {
        this.book = book;
        this.mayOverrunNanos = mayOverrunNanos;
    }

    /** Initializes the class. */
    static void initialize() {}

    /** Notes how late the run that follows on this thread starts, now. */
    void startsLate(long nanos, long nowNanos) {
        latenessNanos = nanos;
        toldNanos = nowNanos;
    }

    /** Returns that, once; {@link #NOT_TOLD} if there is nothing. */
    long takeLateness() {
        long late = latenessNanos;
        latenessNanos = NOT_TOLD;
        return late;
    }

    RunHistory historyToNote() {
        RunHistory notes = history;
        if (notes == null) {
            synchronized (this) {
                notes = history == null ? new RunHistory() : history;
                history = notes;
            }
        }
        return notes;
    }

    /** Claims the run for the calling thread; false if another thread is in one. */
    boolean claim() {
        return RUNNER.compareAndSet(this, null, Thread.currentThread());
    }

    void unclaim() {
        runner = null;
    }

    /** Whether a thread is in a run. */
    boolean isClaimed() {
        return runner != null;
    }

    boolean isOnThisThread() {
        return runner == Thread.currentThread();
    }

    /** The run that this thread has claimed begins. */
    void begin(int ofGeneration, long startedAtNanos, long startNanos) {
        startedAt = startedAtNanos;
        generation = ofGeneration;
        // Both show with this one; nothing that follows has to wait for it.
        SINCE.lazySet(this, startNanos == 0 ? 1 : startNanos);
    }

    /** The run has ended; interrupts reach it no more. */
    void end() {
        sinceNanos = 0;
        if (interruptConsidered) {
            synchronized (this) {
                if (interrupted) {
                    interrupted = false;
                    boolean ignored = Thread.interrupted();
                }
                interruptConsidered = false;
            }
        }
    }

    /** Returns since when it is in progress, on the monotonic clock; 0 if it is not. */
    long sinceNanos() {
        return sinceNanos;
    }

    /** Returns the same as an instant; null if it is not. */
    @Nullable
    Instant since() {
        return sinceNanos == 0 ? null : EpochNanos.toInstant(startedAt);
    }

    /**
     * Interrupts the run if it has been in progress for longer, and returns whether it did.
     *
     * @param onceMore also if it has been interrupted before
     */
    boolean interrupt(long limitNanos, boolean onceMore) {
        synchronized (this) {
            interruptConsidered = true;
            Thread thread = runner;
            long since = sinceNanos;
            // The thread once more: else it may be that of a run which has ended before this one began.
            boolean isItsRun = since != 0 && thread == runner;
            if (thread == null || !isItsRun || (interrupted && !onceMore) || book.nanoTime() - since < limitNanos) {
                interruptConsidered = interrupted;
                return false;
            }
            interrupted = true;
            thread.interrupt();
            return true;
        }
    }

    /** Interrupts a run of another generation, which the timer of that one cannot interrupt. */
    void interruptUnlessOf(int generationOfTimer) {
        if (sinceNanos != 0 && generation != generationOfTimer) {
            boolean ignored = interrupt(0, false);
        }
    }

    /** Returns the stack of the thread in the run; null if no run is active there all the time that it is looked at. */
    TaskInfo.@Nullable Stack stack() {
        Thread thread = runner;
        long since = sinceNanos;
        if (thread == null || since == 0) {
            return null;
        }
        Thread.State state = thread.getState();
        StackTraceElement[] frames = thread.getStackTrace();
        // In this order: between its two looks the run was the same, and so it was the thread's when that was read.
        return thread == runner && since == sinceNanos
                ? new TaskInfo.Stack(thread.getName(), state, StackText.of(frames))
                : null;
    }
}
