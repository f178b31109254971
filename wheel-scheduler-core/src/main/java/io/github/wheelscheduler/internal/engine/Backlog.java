package io.github.wheelscheduler.internal.engine;

import io.github.wheelscheduler.internal.worker.Workers;
import org.jspecify.annotations.Nullable;

/** Due timers of a group that cannot go: since when, and when to look again. Tick thread, unless it says otherwise. */
final class Backlog {

    /** The interval at which the room of full workers is checked again. An idle worker requests more runs. */
    private static final long SHORTEST_PAUSE_NANOS = 300_000;

    private static final long LONGEST_PAUSE_NANOS = 50_000_000;

    private final Workers workers;

    /** Null where the ready queue alone says whether there is room. */
    private final @Nullable GroupSlots slots;

    private final Shortcut shortcut;

    private long pauseNanos;

    private long nextLookNanos;

    /** Timers have been kept back since {@link #sinceNanos}, and not all of them are handed over. */
    private boolean isAny;

    private long sinceNanos;

    Backlog(Workers workers, @Nullable GroupSlots slots, Shortcut shortcut) {
        this.workers = workers;
        this.slots = slots;
        this.shortcut = shortcut;
    }

    /** Whether due timers have waited for room, and there is some now that is worth while. Any thread. */
    boolean isRoomForHeldUp() {
        return shortcut.isHeldUp() && hasRoom();
    }

    /** Whether there is room that is worth while. Any thread. */
    boolean hasRoom() {
        return slots == null ? workers.hasRoom() : slots.hasRoom(true);
    }

    /**
     * Says whether any due timer is kept, and whether one waits for room: held timers do not, so no look for room is
     * needed.
     */
    void note(boolean isAnyKept, boolean waitsForRoom, long nowNanos) {
        boolean waitedBefore = shortcut.isHeldUp();
        if (waitsForRoom && (!waitedBefore || nextLookNanos - nowNanos <= 0)) {
            pauseNanos = waitedBefore ? Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS) : SHORTEST_PAUSE_NANOS;
            nextLookNanos = nowNanos + pauseNanos;
        }
        if (isAnyKept && !isAny) {
            sinceNanos = nowNanos;
        }
        isAny = isAnyKept;
        shortcut.setHeldUp(waitsForRoom);
    }

    long nanosToNextLook(long nowNanos) {
        return Math.max(0, nextLookNanos - nowNanos);
    }

    /**
     * Returns when the timer would have been handed over without waiting for room: the tick thread is not the cause of
     * later delays.
     */
    long handOverNanos(ScheduledTimer<?> timer, long nowNanos) {
        if (!isAny) {
            return nowNanos;
        }
        long startNanos = timer.startOf(timer.exactDueNanos());
        return startNanos - sinceNanos > 0 ? startNanos : sinceNanos;
    }
}
