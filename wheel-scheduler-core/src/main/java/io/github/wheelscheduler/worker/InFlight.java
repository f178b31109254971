package io.github.wheelscheduler.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The runs that an executor has been given, or is about to be, and that are not over. Any thread may call anything, except
 * for {@link #takeReturned}.
 *
 * <p>Only {@link #prepare} allocates; so whoever has prepared a run can count it, show it and let it go, come what may.
 */
final class InFlight {

    /*
     * A run has a place of its own, so it is shown and removed without a search, and all can be looked at.
     *
     *   free:  [ how often it has changed | place + 1 ] --> nextFree[place] --> ... --> 0
     *
     * A place that has been used before comes from the stack of free ones, a new one from the end. Chunks double in size and
     * stay.
     */

    private static final int FIRST_CHUNK_SHIFT = 6;
    private static final int FIRST_CHUNK = 1 << FIRST_CHUNK_SHIFT;
    private static final int CHUNKS = Integer.SIZE - 1 - FIRST_CHUNK_SHIFT;
    private static final long ACTIVE = 1L << Integer.SIZE;
    private static final long PLACE_MASK = 0xffff_ffffL;

    private final AtomicReferenceArray<@Nullable Chunk> chunks = new AtomicReferenceArray<>(CHUNKS);
    private final AtomicLong free = new AtomicLong();

    /** So many places exist. */
    private final AtomicInteger places = new AtomicInteger();

    /** How many there are, and in the upper half how many threads run one of them, or look whether they may. */
    private final AtomicLong counts = new AtomicLong();

    /** Those among them that a pause has caught and that wait to be handed over again. */
    private final AtomicInteger returnedCount = new AtomicInteger();

    /** The last of those that the feeder has not fetched; linked to those before it. */
    private final AtomicReference<@Nullable ExecutorRun> returned = new AtomicReference<>();

    /** Counts one more if there are fewer than that; before it leaves the ready queue, so that it is never overlooked. */
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

    /** Returns how many there are, those that are returned included. */
    int count() {
        return (int) counts.get();
    }

    /** Counts a thread that is about to look whether it may start a run; it reads what forbids that afterwards. */
    void enter() {
        counts.addAndGet(ACTIVE);
    }

    /** Undoes {@link #enter}; the run goes on being counted. */
    void leave() {
        counts.addAndGet(-ACTIVE);
    }

    /** Undoes {@link #enter} and removes the run, which is over. */
    void leave(ExecutorRun run) {
        freePlaceOf(run);
        counts.addAndGet(-ACTIVE - 1);
    }

    int activeCount() {
        return (int) (counts.get() >>> Integer.SIZE);
    }

    int returnedCount() {
        return returnedCount.get();
    }

    /** Gives the run a place. */
    void prepare(ExecutorRun run) {
        run.place = takePlace();
    }

    /** Lets a run be seen that has been prepared, filled and counted. */
    void show(ExecutorRun run) {
        cellsOf(run.place).runs.set(run.place - startOf(run.place), run);
    }

    /** Removes a run that has been taken back; to be called once. */
    void remove(ExecutorRun run) {
        freePlaceOf(run);
        counts.decrementAndGet();
    }

    void forEach(Consumer<? super ExecutorRun> action) {
        int end = places.get();
        for (int place = 0; place < end; place++) {
            ExecutorRun run = cellsOf(place).runs.get(place - startOf(place));
            if (run != null) {
                action.accept(run);
            }
        }
    }

    /** Takes back and removes what has not started, but no more than the number; the memory for it is found first. */
    List<Runnable> takeBackUpTo(int most) {
        List<Runnable> neverRan = new ArrayList<>(most);
        forEach(run -> {
            if (neverRan.size() < most && takeBack(run)) {
                neverRan.add(run.task);
                remove(run);
            }
        });
        return neverRan;
    }

    /** Looks at all that have not started. */
    void forEachNotStarted(Consumer<? super Runnable> action) {
        forEach(run -> {
            if (run.isWaiting() || run.isReturned()) {
                action.accept(run.task);
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
        ExecutorRun.State before = run.takeBack();
        if (before == ExecutorRun.State.RETURNED) {
            returnedCount.decrementAndGet();
        }
        return before != null;
    }

    /** Lets a run wait that a pause has caught on its way, unless somebody else has taken it. */
    void sendBack(ExecutorRun run) {
        returnedCount.incrementAndGet();
        if (!run.sendBack()) {
            returnedCount.decrementAndGet();
            return;
        }
        ExecutorRun last;
        do {
            last = returned.get();
            run.neighbour = last;
        } while (!returned.compareAndSet(last, run));
    }

    boolean hasReturned() {
        return returned.get() != null;
    }

    /** Fetches the runs that have been sent back, linked in the order in which they came. Feeder thread only. */
    @Nullable
    ExecutorRun takeReturned() {
        ExecutorRun last = returned.getAndSet(null);
        ExecutorRun first = null;
        while (last != null) {
            ExecutorRun before = last.neighbour;
            last.neighbour = first;
            first = last;
            last = before;
        }
        return first;
    }

    /** Lets a run be handed over again; false if it has been taken back meanwhile. */
    boolean sendAgain(ExecutorRun run) {
        if (!run.sendAgain()) {
            return false;
        }
        returnedCount.decrementAndGet();
        return true;
    }

    private int takePlace() {
        while (true) {
            long head = free.get();
            int place = (int) head - 1;
            if (place < 0) {
                place = places.get();
                makeChunkOf(place);
                if (places.compareAndSet(place, place + 1)) {
                    return place;
                }
            } else {
                int next = cellsOf(place).nextFree.getPlain(place - startOf(place));
                if (free.compareAndSet(head, changed(head) | next)) {
                    return place;
                }
            }
        }
    }

    private void freePlaceOf(ExecutorRun run) {
        int place = run.place;
        Chunk cells = cellsOf(place);
        int cell = place - startOf(place);
        cells.runs.setRelease(cell, null);
        long head;
        do {
            head = free.get();
            cells.nextFree.setPlain(cell, (int) head);
        } while (!free.compareAndSet(head, changed(head) | (place + 1)));
    }

    /** Returns the upper half of the head, changed: so nobody mistakes a stack that has changed twice for the old one. */
    private static long changed(long head) {
        return (head & ~PLACE_MASK) + (PLACE_MASK + 1);
    }

    private void makeChunkOf(int place) {
        int number = chunkOf(place);
        if (chunks.get(number) == null) {
            int size = FIRST_CHUNK << number;
            boolean ignored = chunks.compareAndSet(
                    number, null, new Chunk(new AtomicReferenceArray<>(size), new AtomicIntegerArray(size)));
        }
    }

    private Chunk cellsOf(int place) {
        Chunk chunk = chunks.get(chunkOf(place));
        if (chunk == null) {
            throw new IllegalStateException("A place must be in a chunk, was " + place);
        }
        return chunk;
    }

    private static int chunkOf(int place) {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros((place >>> FIRST_CHUNK_SHIFT) + 1);
    }

    private static int startOf(int place) {
        return FIRST_CHUNK * ((1 << chunkOf(place)) - 1);
    }

    private record Chunk(AtomicReferenceArray<@Nullable ExecutorRun> runs, AtomicIntegerArray nextFree) {}
}
