package io.github.wheelscheduler;

import io.github.wheelscheduler.worker.Workers;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Due timers that the workers have no room for. They stay in the wheel, which costs nothing, keeps the order, and leaves it open
 * to cancel or move them, until there is room for many at a time. Tick thread, unless it says otherwise.
 */
final class Backlog {

    /** While the workers have no room for what is due, they are asked again so often. A worker that is idle asks for more. */
    private static final long SHORTEST_PAUSE_NANOS = 300_000;

    private static final long LONGEST_PAUSE_NANOS = 50_000_000;

    private final Workers workers;

    /** Null where the ready queue alone says whether there is room. */
    private final @Nullable Places places;

    private long pauseNanos;

    private long nextLookNanos;

    /** Timers have been held up since {@link #sinceNanos}, and not all of them are handed over. */
    private boolean isAny;

    private long sinceNanos;

    /**
     * The workers have no room for more. Writer: tick thread. Readers: workers and callers, so it lies apart from what every pass
     * writes.
     */
    private final AtomicBoolean heldUp = new AtomicBoolean();

    Backlog(Workers workers, @Nullable Places places) {
        this.workers = workers;
        this.places = places;
    }

    /** Whether the workers have room now; {@code forMany} asks for room that is worth while. Any thread. */
    boolean hasRoom(boolean forMany) {
        return places == null ? workers.hasRoom(forMany) : places.hasRoom(forMany);
    }

    /** Whether the workers have room for what is due, if anything is; else it is held up. */
    boolean mayHandOver(long nowNanos) {
        boolean wasHeldUp = heldUp.get();
        if (workers.hasRoom(wasHeldUp)) {
            if (wasHeldUp) {
                heldUp.set(false);
            }
            return true;
        }
        noteHeldUp(nowNanos, wasHeldUp);
        // Before the room is looked at again: a worker that becomes idle looks at this after it has made room.
        heldUp.set(true);
        return workers.hasRoom(true);
    }

    /** Timers wait for room outside of the wheel. */
    void holdUp(long nowNanos) {
        boolean wasHeldUp = heldUp.get();
        noteHeldUp(nowNanos, wasHeldUp);
        if (!wasHeldUp) {
            heldUp.set(true);
        }
    }

    private void noteHeldUp(long nowNanos, boolean wasHeldUp) {
        if (!wasHeldUp || nextLookNanos - nowNanos <= 0) {
            pauseNanos = wasHeldUp ? Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS) : SHORTEST_PAUSE_NANOS;
            nextLookNanos = nowNanos + pauseNanos;
        }
        if (!isAny) {
            isAny = true;
            sinceNanos = nowNanos;
        }
    }

    /** No timer waits for room outside of the wheel any more. */
    void clearHeldUp() {
        isAny = false;
        if (heldUp.get()) {
            heldUp.set(false);
        }
    }

    /** What is due is held back, but not for want of room: nobody is to look whether there is some. */
    void hold(long nowNanos) {
        if (!isAny) {
            isAny = true;
            sinceNanos = nowNanos;
        }
        if (heldUp.get()) {
            heldUp.set(false);
        }
    }

    /** Everything that is due has been handed over. */
    void clear() {
        isAny = false;
    }

    long nanosToNextLook(long nowNanos) {
        return Math.max(0, nextLookNanos - nowNanos);
    }

    /** Returns when the timer would have been handed over if nothing had held it up: what is later is not the tick thread's doing. */
    long handOverNanos(ScheduledTimer<?> timer, long nowNanos) {
        if (!isAny) {
            return nowNanos;
        }
        long deadlineNanos = timer.exactDeadlineNanos();
        return deadlineNanos - sinceNanos > 0 ? deadlineNanos : sinceNanos;
    }

    /** Whether due timers wait for room, which an idle worker has. Any thread. */
    boolean isHeldUp() {
        return heldUp.get();
    }
}
