package io.github.wheelscheduler.wheel;

import org.jspecify.annotations.Nullable;

/** The timers of one slot of a level, in the order in which they came: a doubly linked list through the nodes. */
final class Bucket {

    /** Larger than any tick. */
    static final long NO_TICK = Long.MAX_VALUE;

    /** The level whose occupancy bitmap shows this bucket; null for the list of timers that are already due. */
    private final @Nullable Level level;

    private final int slot;

    @Nullable
    TimerNode head;

    private @Nullable TimerNode tail;

    /**
     * No timer in here is due before this tick. Exact until a timer is removed or moved to a later deadline; too early
     * then, never too late.
     */
    long earliestTick = NO_TICK;

    Bucket(@Nullable Level level, int slot) {
        this.level = level;
        this.slot = slot;
    }

    void append(TimerNode node, long dueTick) {
        assert node.previous == null && node.next == null : "node is in a list already";
        node.bucket = this;
        TimerNode last = tail;
        node.previous = last;
        if (last == null) {
            head = node;
            if (level != null) {
                level.markOccupied(slot);
            }
        } else {
            last.next = node;
        }
        tail = node;
        if (dueTick < earliestTick) {
            earliestTick = dueTick;
        }
    }

    /**
     * Takes the node out of the list. It keeps its mark of being {@linkplain TimerNode#isLinked() linked}, so that a
     * timer on its way from one bucket to another never looks as if no wheel held it.
     */
    void unlink(TimerNode node) {
        assert node.bucket == this : "node is in another bucket";
        TimerNode before = node.previous;
        TimerNode after = node.next;
        if (before == null) {
            head = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            tail = before;
        } else {
            after.previous = before;
        }
        node.previous = null;
        node.next = null;
        if (head == null) {
            earliestTick = NO_TICK;
            if (level != null) {
                level.markEmpty(slot);
            }
        }
    }

    boolean isEmpty() {
        return head == null;
    }

    /** Whether there is exactly one timer. */
    boolean isSingleton() {
        return head != null && head == tail;
    }

    @Nullable
    TimerNode tail() {
        return tail;
    }
}
