package io.github.wheelscheduler.internal.wheel;

import org.jspecify.annotations.Nullable;

/**
 * A way through all buckets, in small steps, that takes out the timers that are over and moves the others together.
 *
 * <p>Timers come and go between two steps. Timers added behind the current position of a sweep are left to the next
 * one. The lists of due timers come last, as all others move towards them.
 */
final class Sweep {

    /** Stands for the list of due timers and the waiting lists. */
    private static final int DUE = 2 * TimingWheel.MAX_LEVELS;

    private final TimingWheel wheel;
    boolean active;

    /** The levels come first, then the prepared ones, then {@link #DUE}. */
    private int levelIndex;

    private int slot;

    /** The chunk that comes next; null at the start of a bucket. */
    private @Nullable Chunk chunk;

    /** The chunk's releases when it was chosen: it is another place since, if they have become more. */
    private int chunkReleases;

    Sweep(TimingWheel wheel) {
        this.wheel = wheel;
    }

    void start() {
        if (!active) {
            active = true;
            levelIndex = 0;
            slot = 0;
            chunk = null;
        }
    }

    /**
     * Goes on, looking at about {@code budget} timers, and returns how many it may still look at; 0 if it is not
     * through.
     */
    int goOn(int budget, Expiry expiry) {
        int left = budget;
        while (left > 0 && active) {
            Bucket bucket = bucket();
            if (bucket == null) {
                nextLevel();
            } else {
                left -= sweepChunkOf(bucket, expiry);
            }
        }
        return Math.max(0, left);
    }

    /** Returns the bucket that the sweep has come to; null at the end of a level. */
    private @Nullable Bucket bucket() {
        if (levelIndex == DUE) {
            return slot == 0 ? wheel.due : wheel.waitingBucket(slot - 1);
        }
        Level level = levelIndex < TimingWheel.MAX_LEVELS
                ? wheel.levels[levelIndex]
                : wheel.preparation.levelIfUsed(levelIndex - TimingWheel.MAX_LEVELS);
        return level == null || level.isEmpty() || slot == Level.SLOTS ? null : level.buckets[slot];
    }

    /** A waiting list is no more, and those behind it have moved up by one. */
    void waitingListDropped(int index) {
        if (levelIndex == DUE && index < slot - 1) {
            slot--;
        }
    }

    private void nextLevel() {
        slot = 0;
        chunk = null;
        levelIndex++;
        active = levelIndex <= DUE;
    }

    private int sweepChunkOf(Bucket bucket, Expiry expiry) {
        boolean goesOn = chunk != null && chunk.bucket == bucket && chunk.releases == chunkReleases;
        Chunk current = goesOn ? chunk : bucket.head;
        if (bucket.isEmpty() || current == null) {
            slot++;
            chunk = null;
            return 0;
        }
        int looks = current.count;
        Chunk following = current.next;
        wheel.touch(current);
        long over = current.marksOfOver();
        while (over != 0) {
            wheel.giveUp(bucket, current, Long.numberOfTrailingZeros(over), expiry);
            over &= over - 1;
        }
        if (current.bucket == bucket && !bucket.isEmpty()) {
            bucket.mergeIntoPrevious(current);
        }
        chunk = following;
        if (following == null) {
            slot++;
        } else {
            chunkReleases = following.releases;
        }
        return looks;
    }
}
