package io.github.wheelscheduler.internal.wheel;

import org.jspecify.annotations.Nullable;

/**
 * 64 cells of a bucket, which hold timers in the order in which they came. A cell is used once, from the first to the
 * last; a timer that is removed leaves a hole.
 */
final class Chunk {

    static final int BITS = 6;
    static final int SIZE = 1 << BITS;
    private static final int CELL_MASK = SIZE - 1;

    final @Nullable TimerNode[] nodes;

    /** The position of the first cell. */
    final int base;

    /** The bucket that this chunk is part of; null while it is part of none. */
    @Nullable
    Bucket bucket;

    @Nullable
    Chunk previous;

    @Nullable
    Chunk next;

    /** There is nothing before this cell. */
    int first;

    /** This cell and those behind it have not been used. */
    int end;

    /** The number of timers. */
    int count;

    /** The number of times a bucket has released this chunk. */
    int releases;

    Chunk(int index) {
        this.nodes = new TimerNode[SIZE];
        this.base = index << BITS;
    }

    static int indexOf(int position) {
        return position >>> BITS;
    }

    static int cellOf(int position) {
        return position & CELL_MASK;
    }

    boolean isFull() {
        return end == SIZE;
    }

    /**
     * Reads all timers, and returns something that depends on all of them. Reads that do not wait for each other, nor
     * for a branch, fetch distant timers at the same time; what moves them one after the other then finds them near.
     */
    long touch() {
        long read = 0;
        for (int cell = first; cell < end; cell++) {
            TimerNode node = nodes[cell];
            if (node != null) {
                read ^= node.deadlineNanos();
            }
        }
        return read;
    }

    /** Returns one bit for each cell whose timer is over. */
    long marksOfOver() {
        long marks = 0;
        for (int cell = first; cell < end; cell++) {
            TimerNode node = nodes[cell];
            if (node != null && node.isOver()) {
                marks |= 1L << cell;
            }
        }
        return marks;
    }

    void append(TimerNode node) {
        nodes[end] = node;
        node.position = base + end;
        end++;
        count++;
    }

    /** Returns the first timer; there must be one. */
    TimerNode peek() {
        while (true) {
            TimerNode node = nodes[first];
            if (node != null) {
                return node;
            }
            first++;
        }
    }

    /** Takes out the timer that {@link #peek} has returned. */
    void dropPeeked() {
        nodes[first] = null;
        first++;
        count--;
    }

    void clearCell(int cell) {
        nodes[cell] = null;
        count--;
    }

    /** Moves the timers together, in their order. */
    void closeHoles() {
        int target = 0;
        for (int cell = first; cell < end; cell++) {
            TimerNode node = nodes[cell];
            if (node != null) {
                if (cell != target) {
                    nodes[cell] = null;
                    nodes[target] = node;
                    node.position = base + target;
                }
                target++;
            }
        }
        first = 0;
        end = target;
    }

    /** Makes all cells unused; they must be empty. */
    void reset() {
        first = 0;
        end = 0;
    }
}
