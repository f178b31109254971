package io.github.wheelscheduler;

import io.github.wheelscheduler.worker.Workers;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The places of a group: one for each run that may go on, and one for each that may wait in the queue. A place is taken before a run is
 * handed to the workers, and is free at the real end of that run. Any thread.
 */
final class GroupSlots {

    private static final long ONE_MORE = (1L << Integer.SIZE) + 1;

    private final Workers workers;
    private final int queueCapacity;

    /** How many are taken, in the lower half, and how many have ever been. */
    private final AtomicLong taken = new AtomicLong();

    GroupSlots(Workers workers, int queueCapacity) {
        this.workers = workers;
        this.queueCapacity = queueCapacity;
    }

    boolean tryTake() {
        long seen = taken.get();
        while ((int) seen < limit()) {
            if (taken.compareAndSet(seen, seen + ONE_MORE)) {
                return true;
            }
            seen = taken.get();
        }
        return false;
    }

    void release() {
        taken.decrementAndGet();
    }

    /** Whether a place is free; {@code forMany} asks for as many as are worth while. */
    boolean hasRoom(boolean forMany) {
        int free = limit() - taken();
        return free >= (forMany ? Math.max(1, queueCapacity / 2) : 1);
    }

    int taken() {
        return (int) taken.get();
    }

    /** Returns another number, which is not 0, whenever a place has been taken since. */
    int mark() {
        return (int) (taken.get() >>> Integer.SIZE) << 1 | 1;
    }

    int queueCapacity() {
        return queueCapacity;
    }

    int maxSize() {
        return workers.maxSize();
    }

    /** Returns how many places there are; it may change. */
    private int limit() {
        return (int) Math.min(Integer.MAX_VALUE, (long) maxSize() + queueCapacity);
    }

    /** Says why there is no place, in the numbers of that moment. */
    String text(int maxSizeThen, int takenThen) {
        return "max-size is " + maxSizeThen + ", queue-capacity is " + queueCapacity + ", and " + takenThen
                + " places are taken";
    }
}
