package io.github.wheelscheduler.internal.spring.task;

import io.github.wheelscheduler.internal.spring.run.EpochNanos;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Instant;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A run that may continue after its method has returned, as that of a reactive method, for code that knows its real
 * end.
 *
 * <p>A run that no code {@linkplain #keepCurrent keeps} is over when it returns. A run that is kept is over when it has
 * returned and its keeper has said how it {@link #ended}; only then are notes taken of it. A run that has thrown
 * something does not continue.
 */
public final class OpenRun {

    private static final ThreadLocal<@Nullable OpenRun> CURRENT = new ThreadLocal<>();

    private final GuardedTask task;
    private final All others;
    private final long startedAtNanos;
    private final long startNanos;
    private final long latenessNanos;
    private final boolean triggered;

    /** On the same thread, around this one; null if there is none. */
    private final @Nullable OpenRun outer;

    // Guarded by this.

    private boolean kept;

    /** It has returned, and continues. */
    private boolean leftOpen;

    private boolean ended;
    private boolean cancelled;
    private boolean isOnThread = true;
    private boolean interrupted;

    /** Cancels the continuation of the run; null if it is unknown. */
    private @Nullable Runnable canceller;

    /** The continuation of the run honours the canceller. */
    private boolean isTaken;

    private @Nullable Throwable failure;

    /** Where it is among the others. Written before it can be said that it has ended. */
    private @Nullable Reference<OpenRun> place;

    private OpenRun(GuardedTask task, long startedAtNanos, long startNanos, long latenessNanos, boolean triggered) {
        this.task = task;
        this.others = Objects.requireNonNull(task.openRuns);
        this.startedAtNanos = startedAtNanos;
        this.startNanos = startNanos;
        this.latenessNanos = latenessNanos;
        this.triggered = triggered;
        this.outer = CURRENT.get();
    }

    /** Begins a run on this thread; null if there is no memory for it. */
    static @Nullable OpenRun begin(
            GuardedTask task, long startedAtNanos, long startNanos, long latenessNanos, boolean triggered) {
        try {
            OpenRun run = new OpenRun(task, startedAtNanos, startNanos, latenessNanos, triggered);
            CURRENT.set(run);
            run.others.onThread = run;
            return run;
        } catch (OutOfMemoryError ex) {
            return null;
        }
    }

    /**
     * The runs of one task that continue: the one on a thread, and the ones that have returned. Does not keep these
     * alive: an end may get lost on its way, for each run of a task. Any thread; threads that only look wait for none.
     */
    static final class All {

        private final Set<Reference<?>> open = ConcurrentHashMap.newKeySet();
        private final ReferenceQueue<OpenRun> lost = new ReferenceQueue<>();

        /** Writer: the thread of the run. */
        private volatile @Nullable OpenRun onThread;

        private void add(OpenRun run) {
            if (run.place != null) {
                return;
            }
            forgetLost();
            try {
                Reference<OpenRun> place = new WeakReference<>(run, lost);
                run.place = place;
                boolean ignored = open.add(place);
            } catch (OutOfMemoryError ex) {
                // Without memory, it is not seen that the run continues.
            }
        }

        private void remove(OpenRun run) {
            Reference<?> place = run.place;
            if (place != null) {
                boolean ignored = open.remove(place);
            }
        }

        private void forgetLost() {
            for (Reference<?> place = lost.poll(); place != null; place = lost.poll()) {
                boolean ignored = open.remove(place);
            }
        }

        /**
         * Interrupts or cancels the runs that are active now, and returns their number; none that begins because of
         * that.
         */
        int cancelAll() {
            Set<OpenRun> goingOn = new HashSet<>();
            OpenRun current = onThread;
            if (current != null) {
                goingOn.add(current);
            }
            for (Reference<?> place : open) {
                if (place.get() instanceof OpenRun run) {
                    goingOn.add(run);
                }
            }
            return (int) goingOn.stream().filter(OpenRun::cancel).count();
        }

        /** Returns when the first of the runs started; null if there is none. */
        @Nullable
        Instant since() {
            OpenRun first = null;
            for (Reference<?> place : open) {
                if (place.get() instanceof OpenRun run && (first == null || run.startNanos - first.startNanos < 0)) {
                    first = run;
                }
            }
            return first == null ? null : EpochNanos.toInstant(first.startedAtNanos);
        }
    }

    /**
     * Keeps the run open that is active on this thread: the caller must say later how it ended. Null if there is none
     * that may continue after its method has returned, or it is kept already.
     */
    public static @Nullable OpenRun keepCurrent() {
        OpenRun run = CURRENT.get();
        if (run == null) {
            return null;
        }
        synchronized (run) {
            boolean isMine = !run.kept;
            run.kept = true;
            return isMine ? run : null;
        }
    }

    /**
     * Says how the continuation of the run can be cancelled, by its keeper, on its thread. It counts only if it is
     * {@linkplain #takeCanceller taken} before the run returns. A canceller that is called has the run cancelled
     * already, and may be called at once.
     */
    public void cancelBy(Runnable newCanceller) {
        boolean isLate;
        synchronized (this) {
            if (ended) {
                return;
            }
            canceller = newCanceller;
            others.add(this);
            isLate = interrupted;
        }
        if (isLate && end(null, true)) {
            newCanceller.run();
        }
    }

    /**
     * Returns, once, the canceller of the run on this thread, for the continuation that honours it; null if there is
     * none.
     */
    public static @Nullable Runnable takeCanceller() {
        OpenRun run = CURRENT.get();
        if (run == null) {
            return null;
        }
        synchronized (run) {
            boolean isFirst = !run.isTaken && run.canceller != null;
            run.isTaken |= isFirst;
            return isFirst ? run.canceller : null;
        }
    }

    /**
     * Interrupts the thread of the run while it is on one, also once more, and cancels its continuation; false if
     * neither can be. Calls code of the keeper, without a lock.
     */
    boolean cancel() {
        boolean isInterrupted;
        Runnable known;
        synchronized (this) {
            // With the lock, it cannot move on to another run.
            isInterrupted = isOnThread && task.interruptRun();
            interrupted |= isInterrupted;
            known = canceller;
        }
        if (known == null || !end(null, true)) {
            return isInterrupted;
        }
        known.run();
        return true;
    }

    /**
     * Reports the end of the run, with or without a failure. Only the first report counts. Any thread.
     *
     * @param thrown null if it went well
     */
    public void ended(@Nullable Throwable thrown) {
        boolean ignored = end(thrown, false);
    }

    /** Says that the run has been cancelled, so that it counts neither as a success nor as a failure. Any thread. */
    public void cancelled() {
        boolean ignored = end(null, true);
    }

    /** Says whether it was said first. */
    private boolean end(@Nullable Throwable thrown, boolean isCancelled) {
        boolean isToBeNoted;
        synchronized (this) {
            if (ended) {
                return false;
            }
            ended = true;
            cancelled = isCancelled;
            failure = thrown;
            // Else the thread of the run is about to see it.
            isToBeNoted = leftOpen;
        }
        others.remove(this);
        if (isToBeNoted) {
            note(task.book.nanoTime() - startNanos);
            task.releaseIfCancelled();
        }
        return true;
    }

    /** Nothing on this thread is a part of the run any more. */
    void leave() {
        others.onThread = null;
        synchronized (this) {
            isOnThread = false;
            canceller = isTaken ? canceller : null;
        }
        if (outer == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(outer);
        }
    }

    /** It has returned, after a duration, or thrown something. On its thread. */
    void returned(@Nullable Throwable thrown, long nanos) {
        synchronized (this) {
            if (kept && !ended && thrown == null) {
                leftOpen = true;
                others.add(this);
                return;
            }
            ended = true;
        }
        others.remove(this);
        if (thrown == null) {
            note(nanos);
        } else {
            task.note(startedAtNanos, nanos, latenessNanos, triggered, thrown);
        }
    }

    /** Takes notes of the run as its keeper has said that it ended; well where there is no keeper. */
    private void note(long nanos) {
        Throwable thrown;
        synchronized (this) {
            if (cancelled) {
                return;
            }
            thrown = failure;
        }
        if (thrown != null) {
            task.countFailure(thrown);
        }
        task.note(startedAtNanos, nanos, latenessNanos, triggered, thrown);
    }
}
