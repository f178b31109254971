package io.github.wheelscheduler.internal.wheel;

import org.jspecify.annotations.Nullable;

/**
 * Cascades large buckets ahead of their time, in small steps, so that no cascade holds up the timers that are due.
 *
 * <p>The timers of the bucket that comes next in its level are placed in a level of their own, one finer, which is put
 * in use when the time of the bucket has come. Timers added to the bucket meanwhile follow, or cascade as usual. The
 * first bucket of such a level may be large itself, and is prepared in the same way.
 */
final class Preparation {

    /** Buckets with fewer timers cascade quickly enough. */
    private final int minTimers;

    private final TimingWheel wheel;

    /** By index: levels to put in use, or empty spares. */
    private final @Nullable Level[] ahead = new @Nullable Level[TimingWheel.MAX_LEVELS];

    /** By index: the bucket, one level above, whose timers the level holds; null for spares. */
    final @Nullable Bucket[] parents = new @Nullable Bucket[TimingWheel.MAX_LEVELS];

    Preparation(TimingWheel wheel, int minTimers) {
        this.wheel = wheel;
        this.minTimers = minTimers;
    }

    /** Prepares the buckets that come next, touching at most {@code budget} timers, and returns the unused budget. */
    int prepare(long nowTick, int budget, Expiry expiry) {
        int left = budget;
        for (int index = 1; index < TimingWheel.MAX_LEVELS && left > 0; index++) {
            left = prepare(wheel.levels[index], wheel.currentTick, nowTick, left, expiry);
        }
        return left;
    }

    /** Prepares the bucket of a level that comes next after {@code fromTick}. */
    private int prepare(@Nullable Level level, long fromTick, long nowTick, int budget, Expiry expiry) {
        if (level == null || level.isEmpty()) {
            return budget;
        }
        int slot = level.firstOccupiedSlot();
        Bucket bucket = level.buckets[slot];
        long firstTick = level.firstTickOf(slot, fromTick);
        long lastTick = level.lastTickOf(firstTick);
        if (firstTick - nowTick > lastTick - firstTick || !isWorthIt(bucket, level.index - 1)) {
            return budget;
        }
        Level below = levelFor(bucket, level.index - 1);
        int left = budget;
        while (left > 0 && bucket.count() > 0) {
            left--;
            wheel.moveAhead(bucket, below, firstTick, lastTick, expiry);
        }
        return left > 0 && level.index > 1 ? prepare(below, firstTick, nowTick, left, expiry) : left;
    }

    private boolean isWorthIt(Bucket bucket, int indexBelow) {
        return parents[indexBelow] == bucket || (parents[indexBelow] == null && bucket.count() >= minTimers);
    }

    private Level levelFor(Bucket bucket, int index) {
        Level level = ahead[index];
        if (level == null) {
            level = wheel.chunks.newLevel(index);
            ahead[index] = level;
        }
        if (parents[index] == null) {
            parents[index] = bucket;
            bucket.pinned = true;
        }
        return level;
    }

    /** Returns the tick at which a bucket should be prepared that is not being prepared yet. */
    long nextTick() {
        long earliest = Bucket.NO_TICK;
        for (int index = 1; index < TimingWheel.MAX_LEVELS; index++) {
            earliest = Math.min(earliest, nextTick(wheel.levels[index], wheel.currentTick));
        }
        return earliest;
    }

    private long nextTick(@Nullable Level level, long fromTick) {
        if (level == null || level.isEmpty()) {
            return Bucket.NO_TICK;
        }
        int slot = level.firstOccupiedSlot();
        Bucket bucket = level.buckets[slot];
        long firstTick = level.firstTickOf(slot, fromTick);
        int indexBelow = level.index - 1;
        if (parents[indexBelow] == bucket) {
            return indexBelow == 0 ? Bucket.NO_TICK : nextTick(ahead[indexBelow], firstTick);
        }
        return isWorthIt(bucket, indexBelow) ? firstTick - (level.lastTickOf(firstTick) - firstTick) : Bucket.NO_TICK;
    }

    /**
     * Returns the level that has been prepared for the bucket, to be put in use instead of the given empty one; or
     * null.
     */
    @Nullable
    Level exchange(Bucket bucket, int index, @Nullable Level empty) {
        Level level = ahead[index];
        if (parents[index] != bucket || level == null) {
            return null;
        }
        ahead[index] = empty;
        parents[index] = null;
        bucket.unpin();
        return level;
    }

    /** Adds the timers of levels that are prepared to the buckets in use that they come from. */
    void addTo(long[][] counts) {
        for (int index = 0; index < TimingWheel.MAX_LEVELS; index++) {
            Level prepared = levelIfUsed(index);
            Bucket parent = parents[index];
            int above = index + 1;
            // The first bucket of a level that is prepared may be prepared itself.
            while (parent != null && parent.level == levelIfUsed(above)) {
                parent = parents[above++];
            }
            if (prepared != null && parent != null) {
                for (Bucket bucket : prepared.buckets) {
                    counts[above][parent.slot] += bucket.count();
                }
            }
        }
    }

    /** Returns the level with that index, if it is prepared for a bucket. */
    @Nullable
    Level levelIfUsed(int index) {
        return parents[index] == null ? null : ahead[index];
    }
}
