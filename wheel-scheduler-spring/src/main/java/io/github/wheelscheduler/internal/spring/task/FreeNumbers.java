package io.github.wheelscheduler.internal.spring.task;

/**
 * Numbers from 0 on, of which always the lowest free one is taken, however they come and go. A bit each, and a bit for
 * each word of bits. Not thread-safe.
 */
final class FreeNumbers {

    private static final int SHIFT = 6;
    private static final long[][] NONE = {{0}};

    /**
     * In the first level, a bit for each number, set while it is free. In each other level, a bit for each word of the
     * one before, set while that word has a bit. The last level has one word.
     */
    private long[][] levels = NONE;

    private int capacity;

    /** Returns the lowest free number. If memory for it is short, this fails, and nothing has changed. */
    int lowest() {
        if (levels[levels.length - 1][0] == 0) {
            grow();
        }
        int number = 0;
        for (int level = levels.length - 1; level >= 0; level--) {
            number = number << SHIFT | Long.numberOfTrailingZeros(levels[level][number]);
        }
        return number;
    }

    private void grow() {
        int grown = Math.max(1 << SHIFT, Math.multiplyExact(capacity, 2));
        int depth = 1;
        for (int words = wordsFor(grown); words > 1; words = wordsFor(words)) {
            depth++;
        }
        long[][] made = new long[depth][];
        int bits = grown;
        for (int level = 0; level < depth; level++) {
            made[level] = new long[wordsFor(bits)];
            bits = made[level].length;
        }
        levels = made;
        // All before are taken.
        for (int number = capacity; number < grown; number++) {
            giveBack(number);
        }
        capacity = grown;
    }

    private static int wordsFor(int bits) {
        return (bits + (1 << SHIFT) - 1) >>> SHIFT;
    }

    /** Whether there is a bit for it. */
    boolean has(int number) {
        return number < capacity;
    }

    /** Takes a free number. */
    void take(int number) {
        int bit = number;
        for (long[] level : levels) {
            level[bit >>> SHIFT] &= ~(1L << bit);
            if (level[bit >>> SHIFT] != 0) {
                return;
            }
            bit >>>= SHIFT;
        }
    }

    /** Gives a number back; needs no memory. */
    void giveBack(int number) {
        int bit = number;
        for (long[] level : levels) {
            boolean wasFull = level[bit >>> SHIFT] == 0;
            level[bit >>> SHIFT] |= 1L << bit;
            if (!wasFull) {
                return;
            }
            bit >>>= SHIFT;
        }
    }
}
