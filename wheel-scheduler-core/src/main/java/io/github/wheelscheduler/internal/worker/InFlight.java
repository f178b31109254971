package io.github.wheelscheduler.internal.worker;

import io.github.wheelscheduler.internal.worker.ExecutorRun.State;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The runs that an executor has been given, or is about to be, and that are not over. Any thread may call anything,
 * except for {@link #linkReturned}.
 *
 * <p>Nothing on the way of a run allocates, so a run can always be counted, shown and released.
 */
final class InFlight {

    /*
     *   newest --> run --> run --> ... --> oldest          next: always a run that was shown before
     *
     * A run that is shown becomes the newest. A run that is over stays in the list until a later one is shown: the
     * thread that shows it continues with the sweep for a few runs, and takes those out that are over. A reader that
     * stands on a run which is taken out meanwhile continues from there, and misses none: what 'next' says, now or
     * before, was shown before that run, and leads to all that were shown still earlier.
     */

    private static final long ACTIVE = 1L << Integer.SIZE;

    /**
     * The number of entries swept for each run that is added: the list stays within a small multiple of the runs in
     * flight.
     */
    private static final int SWEPT_FOR_EACH = 3;

    /**
     * The number of runs in flight and, in the upper half, the number of threads that run one or check whether they
     * may.
     */
    private final AtomicLong counts = new AtomicLong();

    private final AtomicReference<@Nullable ExecutorRun> newest = new AtomicReference<>();

    private final AtomicBoolean isSweeping = new AtomicBoolean();

    /** The run that the sweep has come to; null if it has come to the end. Only by the thread that is sweeping. */
    private @Nullable ExecutorRun sweptTo;

    /** The number of runs caught by a pause that wait to be handed over again. */
    private final AtomicInteger returnedCount = new AtomicInteger();

    /**
     * Counts one more if there are fewer than that; before it leaves the ready queue, so that it is never overlooked.
     */
    boolean tryCount(int max) {
        long seen = counts.get();
        while ((int) seen < max) {
            if (counts.compareAndSet(seen, seen + 1)) {
                return true;
            }
            seen = counts.get();
        }
        return false;
    }

    /** Takes a {@link #tryCount} back that no run came for. */
    void uncount() {
        counts.decrementAndGet();
    }

    /** Returns how many there are, returned ones included. */
    int count() {
        return (int) counts.get();
    }

    /**
     * Counts a thread that is about to check whether it may start a run; it reads the flags that forbid it afterwards.
     */
    void enter() {
        counts.addAndGet(ACTIVE);
    }

    /** Undoes {@link #enter}; a run that has been started is over, any other one is still counted. */
    void leave(ExecutorRun run, boolean started) {
        if (started) {
            letGo(run, ACTIVE + 1);
        } else {
            counts.addAndGet(-ACTIVE);
        }
    }

    /** Lets a run go that has been taken back; to be called once. */
    void remove(ExecutorRun run) {
        letGo(run, 1);
    }

    private void letGo(ExecutorRun run, long count) {
        run.task = ExecutorRun.NOTHING;
        // All runs that were shown before are over if none is left.
        ExecutorRun shown = newest.get();
        if ((int) counts.addAndGet(-count) == 0) {
            boolean ignored = newest.compareAndSet(shown, null);
        }
    }

    int activeCount() {
        return (int) (counts.get() >>> Integer.SIZE);
    }

    int returnedCount() {
        return returnedCount.get();
    }

    /** Lets a run be seen that has been filled and counted. */
    void show(ExecutorRun run) {
        ExecutorRun before;
        do {
            before = newest.get();
            run.next = before;
        } while (!newest.compareAndSet(before, run));
        if (isSweeping.compareAndSet(false, true)) {
            try {
                sweep(before == null || sweptTo == null ? run : sweptTo);
            } finally {
                isSweeping.set(false);
            }
        }
    }

    private void sweep(ExecutorRun from) {
        ExecutorRun run = from;
        for (int i = 0; i < SWEPT_FOR_EACH && run != null; i++) {
            ExecutorRun next = run.next;
            if (next != null && next.isOver()) {
                run.next = next.next;
            } else {
                run = next;
            }
        }
        sweptTo = run;
    }

    /** Looks at all of them, and perhaps at some that are over, the newest first. */
    void forEach(Consumer<? super ExecutorRun> action) {
        for (ExecutorRun run = newest.get(); run != null; run = run.next) {
            action.accept(run);
        }
    }

    /** Takes back and removes runs that have not started, up to the number; memory is reserved first. */
    List<Runnable> takeBackUpTo(int most) {
        List<Runnable> neverRan = new ArrayList<>(most);
        forEach(run -> {
            if (neverRan.size() < most && takeBack(run)) {
                neverRan.add(run.task);
                remove(run);
            }
        });
        Collections.reverse(neverRan);
        return neverRan;
    }

    /** Looks at all that have not started. */
    void forEachNotStarted(Consumer<? super Runnable> action) {
        forEach(run -> {
            Runnable task = run.task;
            if ((run.isWaiting() || run.isReturned()) && task != ExecutorRun.NOTHING) {
                action.accept(task);
            }
        });
    }

    /** Returns how long the first of the returned runs has been waiting, 0 if there is none. */
    long oldestReturnedNanos(long nowNanos) {
        if (returnedCount.get() == 0) {
            return 0;
        }
        long[] oldest = {0};
        forEach(run -> {
            if (run.isReturned()) {
                oldest[0] = Math.max(oldest[0], nowNanos - run.expiredNanos);
            }
        });
        return oldest[0];
    }

    /** Takes a run out of use if it has not started; then the caller removes it. */
    boolean takeBack(ExecutorRun run) {
        while (run.isWaiting() || run.isReturned()) {
            if (run.compareAndSet(State.WAITING, State.TAKEN_BACK)) {
                return true;
            }
            if (run.compareAndSet(State.RETURNED, State.TAKEN_BACK)) {
                returnedCount.decrementAndGet();
                return true;
            }
        }
        return false;
    }

    /** Lets a run wait that a pause has caught on its way, unless it has been taken back. */
    void sendBack(ExecutorRun run) {
        // Counted first: a run that is returned is never overlooked.
        returnedCount.incrementAndGet();
        if (!run.compareAndSet(State.WAITING, State.RETURNED)) {
            returnedCount.decrementAndGet();
        }
    }

    /**
     * Links the runs that have been sent back, in the order in which they were shown, and returns the first. Feeder
     * only.
     */
    @Nullable
    ExecutorRun linkReturned() {
        ExecutorRun first = null;
        for (ExecutorRun run = newest.get(); run != null; run = run.next) {
            if (run.isReturned()) {
                run.nextReturned = first;
                first = run;
            }
        }
        return first;
    }

    /** Lets a run be handed over again; false if it has been taken back meanwhile. */
    boolean sendAgain(ExecutorRun run) {
        boolean isSent = run.compareAndSet(State.RETURNED, State.WAITING);
        if (isSent) {
            returnedCount.decrementAndGet();
        }
        return isSent;
    }
}
