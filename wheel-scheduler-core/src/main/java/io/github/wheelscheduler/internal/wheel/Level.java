package io.github.wheelscheduler.internal.wheel;

/** 64 buckets of one width, with one bit each that says whether the bucket holds a timer. */
final class Level {

    static final int BITS = 6;
    static final int SLOTS = 1 << BITS;
    private static final int SLOT_MASK = SLOTS - 1;

    final int index;

    /** A bucket of this level is {@code 1 << shift} ticks wide. */
    private final int shift;

    final Bucket[] buckets = new Bucket[SLOTS];

    /** Bit n is set exactly while bucket n holds a timer or is pinned. */
    long occupied;

    Level(ChunkTable table, int index) {
        this.index = index;
        this.shift = index * BITS;
        for (int slot = 0; slot < SLOTS; slot++) {
            buckets[slot] = new Bucket(table, this, slot);
        }
    }

    /** Returns the bucket for the tick. */
    Bucket bucketOf(long tick) {
        return buckets[slotOf(tick)];
    }

    int slotOf(long tick) {
        return (int) (tick >>> shift) & SLOT_MASK;
    }

    boolean isEmpty() {
        return occupied == 0;
    }

    /**
     * Returns the occupied slot with the lowest number. As slots behind the current one are always empty (see
     * {@link TimingWheel}), this is the one whose time comes first.
     */
    int firstOccupiedSlot() {
        return Long.numberOfTrailingZeros(occupied);
    }

    /** Returns the first tick of the slot, in the turn of this level that the given current tick is in. */
    long firstTickOf(int slot, long currentTick) {
        int turnShift = shift + BITS;
        long turnStart = turnShift >= Long.SIZE ? 0 : (currentTick >>> turnShift) << turnShift;
        return turnStart | ((long) slot << shift);
    }

    /** Returns the last tick of the slot that begins with the given one. */
    long lastTickOf(long firstTick) {
        return firstTick + (1L << shift) - 1;
    }

    /** Returns how many timers each bucket holds. */
    long[] counts() {
        long[] counts = new long[SLOTS];
        for (int slot = 0; slot < SLOTS; slot++) {
            counts[slot] = buckets[slot].count();
        }
        return counts;
    }

    void markOccupied(int slot) {
        occupied |= 1L << slot;
    }

    void markEmpty(int slot) {
        occupied &= ~(1L << slot);
    }
}
