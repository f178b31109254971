package io.github.wheelscheduler.internal.wheel;

import org.jspecify.annotations.Nullable;

/**
 * The timers of one slot of a level, or due timers that wait for something else, in the order in which they came: a
 * list of chunks. Waiting timers are in the wheel as before: they can be removed, repositioned and swept out, and cost
 * no more than a cell.
 *
 * <p>It keeps its first chunk when it is empty, so that a wheel that has warmed up allocates nothing for a few timers a
 * bucket.
 */
public final class Bucket {

    /** Larger than any tick. */
    static final long NO_TICK = Long.MAX_VALUE;

    private final ChunkTable table;

    /** The level whose occupancy bitmap shows this bucket; null for lists of timers that are already due. */
    final @Nullable Level level;

    final int slot;

    @Nullable
    Chunk head;

    private @Nullable Chunk tail;
    private long count;

    /**
     * Timers of this bucket have been placed elsewhere already, so that it counts as occupied even when it is empty.
     */
    boolean pinned;

    /**
     * No timer in here is due before this tick. Exact until a timer is removed or moved to a later deadline; too early
     * then, never too late.
     */
    long earliestTick = NO_TICK;

    Bucket(ChunkTable table, @Nullable Level level, int slot) {
        this.table = table;
        this.level = level;
        this.slot = slot;
    }

    /** Puts the timer at the end. Without memory for it nothing changes. */
    void append(TimerNode node, long dueTick) {
        Chunk chunk = tail;
        if (chunk == null || chunk.isFull()) {
            chunk = appendChunk();
        }
        chunk.append(node);
        if (count++ == 0 && level != null && !pinned) {
            level.markOccupied(slot);
        }
        if (dueTick < earliestTick) {
            earliestTick = dueTick;
        }
    }

    /** Returns the first timer, or null if there is none. */
    public @Nullable TimerNode peek() {
        Chunk chunk = head;
        return chunk == null || count == 0 ? null : chunk.peek();
    }

    /**
     * Takes out the timer that {@link #peek} has returned. Its {@linkplain TimerNode#position position} stays as it is:
     * if the timer has been appended to another bucket meanwhile, it is the one there.
     */
    void dropPeeked() {
        Chunk chunk = head;
        if (chunk != null) {
            chunk.dropPeeked();
            removedFrom(chunk);
        }
    }

    /** Gives the chunk back that an empty bucket keeps; it is not used any more. */
    void releaseLastChunk() {
        Chunk chunk = head;
        if (chunk != null && count == 0) {
            releaseChunk(chunk);
        }
    }

    /** Takes the timer in that cell out, and leaves its position as it is. */
    void remove(Chunk chunk, int cell) {
        chunk.clearCell(cell);
        removedFrom(chunk);
    }

    public boolean isEmpty() {
        return count == 0;
    }

    /** Whether there is exactly one timer, and none elsewhere. */
    boolean isSingleton() {
        return count == 1 && !pinned;
    }

    /** Returns how many timers are in here, with timers that are over and have not been given up. */
    public long count() {
        return count;
    }

    /** Moves the timers of a sparse chunk into the one before it, if there is room. */
    void mergeIntoPrevious(Chunk chunk) {
        Chunk before = chunk.previous;
        if (before == null || before.count + chunk.count > Chunk.SIZE) {
            return;
        }
        before.closeHoles();
        for (int cell = chunk.first; cell < chunk.end; cell++) {
            TimerNode node = chunk.nodes[cell];
            if (node != null) {
                chunk.clearCell(cell);
                before.append(node);
            }
        }
        releaseChunk(chunk);
    }

    private void removedFrom(Chunk chunk) {
        count--;
        if (chunk.count == 0) {
            if (chunk.previous == null && chunk.next == null) {
                chunk.reset();
            } else {
                releaseChunk(chunk);
            }
        }
        if (count == 0 && !pinned) {
            markEmpty();
        }
    }

    void unpin() {
        pinned = false;
        if (count == 0) {
            markEmpty();
        }
    }

    private void markEmpty() {
        earliestTick = NO_TICK;
        if (level != null) {
            level.markEmpty(slot);
        }
    }

    private Chunk appendChunk() {
        Chunk chunk = table.take();
        chunk.bucket = this;
        Chunk last = tail;
        if (last == null) {
            head = chunk;
        } else {
            last.next = chunk;
            chunk.previous = last;
        }
        tail = chunk;
        return chunk;
    }

    private void releaseChunk(Chunk chunk) {
        Chunk before = chunk.previous;
        Chunk after = chunk.next;
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
        table.release(chunk);
    }
}
